"""The commands, each by what it may be asked and by what answers, both imported when they are needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import typer

from divulge.cli.help_sections import WIDTH
from divulge.cli.names.former_names import with_command
from divulge.cli.parameters import CommandGroup

HELP = ("-h", "--help")
READ = "read"  # the command to attackers that is meant where none is named


class _Commands(CommandGroup):
    """What divulge does, by what a person wants."""

    wanted: ClassVar[Mapping[str, Sequence[str]]] = {
        "Look": ("audit", "measure", "uniqueness", "watch"),
        "Decide": ("init", "check", "compare", "estimate"),
        "Change": ("anonymize", "transform", "table", "explore"),
        "Attack": ("link", "attacker"),
        "Release": ("release", "query"),
        "Reference": ("guide", "report", "reproduce", "demo", "doctor"),
    }
    offered: ClassVar[Mapping[str, str]] = {
        "tables.AuditRequest": "audit.run_audit",
        "tables.CheckRequest": "audit.run_check",
        "watching.WatchRequest": "watch.run_watch",
        "tables.InitRequest": "init.run_init",
        "tables.CompareRequest": "compare.run_compare",
        "tables.MeasureRequest": "measure.run_measure",
        "uniqueness.UniquenessRequest": "people.uniqueness.run_uniqueness",
        "linkage.LinkRequest": "people.link.run_link",
        "tables.EstimateRequest": "estimate.run_estimate",
        "making.AnonymizeRequest": "making.anonymize.run_anonymize",
        "making.TransformRequest": "making.transform.run_transform",
        "tabulating.TabulateRequest": "making.tabulate.run_table",
        "exploring.ExploreRequest": "explore.run_explore",
        "tools.DrawRequest": "report.run_report",
        "tools.GuideRequest": "reference.guide.run_guide",
        "tools.ReproduceRequest": "reference.reproduce.run_reproduce",
        "tools.DemoRequest": "demo.run_demo",
        "tools.DoctorRequest": "doctor.run_doctor",
    }

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_command(args))


class _AttackerCommands(CommandGroup):
    """What is said of attackers; the first command may be left out."""

    offered: ClassVar[Mapping[str, str]] = {
        "attacker.AttackerRequest": f"attackers.read.run_{READ}",
        "attacker.SystemRequest": "attackers.systems.run_system",
        "attacker.TraceRequest": "attackers.sequences.run_trace",
        "attacker.TypicalRequest": "attackers.sequences.run_typical",
        "attacker.OptimizeRequest": "attackers.optimize.run_optimize",
        "attacker.EpsilonRequest": "attackers.models.run_epsilon",
        "attacker.CrowdsRequest": "attackers.senders.run_crowds",
        "attacker.MixRequest": "attackers.senders.run_mix",
        "attacker.DegreesRequest": "attackers.senders.run_degrees",
        "attacker.LocationRequest": "attackers.models.run_location",
    }

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in HELP:
            args = [READ, *args]
        return super().parse_args(ctx, args)


class _ReleaseCommands(CommandGroup):
    """What is released, simulated or by a service."""

    offered: ClassVar[Mapping[str, str]] = {
        "release.SimulateRequest": "release.simulate.run_simulate",
        "release.ReleaseCheckRequest": "release.check.run_check",
        "release.DatasetRequest": "release.service.run_init",
        "release.UpdateRequest": "release.service.run_update",
        "release.KeyRequest": "release.keys.run_key",
        "release.ServeRequest": "release.service.run_serve",
        "release.SignerRequest": "release.signer.run_signer",
        "release.RotateKeyRequest": "release.signer.run_rotate_key",
        "release.WitnessRequest": "release.witness.run_witness",
        "release.ServiceRecordRequest": "release.request.run_request",
        "release.PoliciesRequest": "release.policies.run_policies",
        "release.ProposeRequest": "release.policies.run_propose",
        "release.ApproveRequest": "release.policies.run_approve",
        "release.StatusRequest": "release.service.run_status",
        "release.VerifyRequest": "release.verify.run_verify",
        "release.ExportRequest": "release.service.run_export",
        "release.BackupRequest": "release.service.run_backup",
        "release.MigrateRequest": "release.migrate.run_migrate",
        "release.ReconcileRequest": "release.service.run_reconcile",
    }


class _QueryCommands(CommandGroup):
    """What is asked of tables that stay where they are."""

    offered: ClassVar[Mapping[str, str]] = {
        "querying.GuardRequest": "query.run_init",
        "querying.QueryRequest": "query.run_ask",
        "querying.QueryServeRequest": "query.run_serve",
        "querying.QueryStatusRequest": "query.run_status",
    }


app = typer.Typer(
    name="divulge",
    help="Measure what a table reveals about its people, and what would help.",
    cls=_Commands,
    context_settings={"help_option_names": list(HELP), "max_content_width": WIDTH, "color": False},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
attacker = typer.Typer(
    cls=_AttackerCommands,
    help="Compute the attacker's remaining error.\n\n\b\n"
    "  divulge attacker CHANNEL.csv [OPTIONS]\n"
    "  divulge attacker --file FILE --keys A,B --target X [OPTIONS]\n\n"
    "divulge attacker read --help lists the options.",
    short_help="Compute the attacker's remaining error.",
    subcommand_metavar="CHANNEL | --file FILE | COMMAND [ARGS]...",
    no_args_is_help=True,
    rich_markup_mode=None,
)
release = typer.Typer(
    cls=_ReleaseCommands,
    help="Release records one at a time, under tests.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
query = typer.Typer(
    cls=_QueryCommands,
    help="Answer counts, sums and means under control.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(attacker, name="attacker")
app.add_typer(release, name="release")
app.add_typer(query, name="query")


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
