"""The commands, each by what it may be asked. What answers is imported when it is run: help comes at once."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from divulge.cli.help_sections import WIDTH, SummarizedGroup
from divulge.cli.parameters import add_commands
from divulge.cli.requests import attacker as of_attackers
from divulge.cli.requests import linkage as of_linkage
from divulge.cli.requests import making as of_making
from divulge.cli.requests import release as of_releases
from divulge.cli.requests import tables as of_tables
from divulge.cli.requests import tools as of_tools
from divulge.cli.requests import uniqueness as of_uniqueness

HELP = ("-h", "--help")
READ = "read"  # the command to attackers that is meant where none is named


class _OrRead(SummarizedGroup):
    """A group whose first command may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in HELP:
            args = [READ, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="divulge",
    help="Measure how much a table divulges about its people, to whom, and what would help.",
    cls=SummarizedGroup,
    context_settings={"help_option_names": list(HELP), "max_content_width": WIDTH, "color": False},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
attacker = typer.Typer(
    cls=_OrRead,
    help="Compute the attacker's remaining error.\n\n\b\n"
    "  divulge attacker CHANNEL.csv [OPTIONS]\n"
    "  divulge attacker --table FILE --keys A,B --target X [OPTIONS]\n\n"
    "divulge attacker read --help lists the options.",
    short_help="Compute the attacker's remaining error.",
    subcommand_metavar="CHANNEL | --table FILE | COMMAND [ARGS]...",
    no_args_is_help=True,
    rich_markup_mode=None,
)
release = typer.Typer(
    cls=SummarizedGroup,
    help="Release records one at a time, under tests.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(attacker, name="attacker")
app.add_typer(release, name="release")


def _version(wanted: bool) -> None:
    if wanted:
        from divulge import __version__

        print(f"divulge {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


add_commands(
    app,
    {
        of_tables.AuditRequest: "audit.run_audit",
        of_tables.CheckRequest: "audit.run_check",
        of_tables.InitRequest: "init.run_init",
        of_tables.CompareRequest: "compare.run_compare",
        of_tables.MeasureRequest: "measure.run_measure",
        of_uniqueness.UniquenessRequest: "people.uniqueness.run_uniqueness",
        of_linkage.LinkRequest: "people.link.run_link",
        of_tables.UtilityRequest: "utility.run_utility",
        of_making.AnonymizeRequest: "making.anonymize.run_anonymize",
        of_making.TransformRequest: "making.transform.run_transform",
        of_making.MechanismsRequest: "making.mechanisms.run_mechanisms",
        of_tools.DrawRequest: "report.run_report",
        of_tools.MeasuresRequest: "measures.run_measures",
        of_tools.GuideRequest: "guide.run_guide",
        of_tools.ReproduceRequest: "reproduce.run_reproduce",
        of_tools.DemoRequest: "demo.run_demo",
        of_tools.DoctorRequest: "doctor.run_doctor",
    },
)
add_commands(
    attacker,
    {
        of_attackers.AttackerRequest: f"attacker.run_{READ}",
        of_attackers.OptimizeRequest: "attacker_models.run_optimize",
        of_attackers.EpsilonRequest: "attacker_models.run_epsilon",
        of_attackers.CrowdsRequest: "attacker_models.run_crowds",
        of_attackers.MixRequest: "attacker_models.run_mix",
        of_attackers.LocationRequest: "attacker_models.run_location",
    },
)
add_commands(
    release,
    {
        of_releases.SimulateRequest: "release.simulate.run_simulate",
        of_releases.ReleaseCheckRequest: "release.check.run_check",
        of_releases.DatasetRequest: "release.service.run_init",
        of_releases.UpdateRequest: "release.service.run_update",
        of_releases.KeyRequest: "release.keys.run_key",
        of_releases.ServeRequest: "release.service.run_serve",
        of_releases.ServiceRecordRequest: "release.request.run_request",
        of_releases.StatusRequest: "release.service.run_status",
        of_releases.VerifyRequest: "release.verify.run_verify",
        of_releases.ExportRequest: "release.service.run_export",
        of_releases.BackupRequest: "release.service.run_backup",
        of_releases.ReconcileRequest: "release.service.run_reconcile",
    },
)
