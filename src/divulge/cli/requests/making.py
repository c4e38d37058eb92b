"""What may be asked of commands that make a release."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.cli import options
from divulge.cli.help_sections import OUTPUT
from divulge.cli.options import Names
from divulge.cli.parameters import REQUIRED, flag, option, table_options
from divulge.cli.requests.tables import OutputRequest, RolesRequest, SpokenRequest
from divulge.source.options import SourceOptions

_ORIGINAL = "A release is made of the original."


@dataclass(frozen=True, kw_only=True)
class TransformRequest(SpokenRequest):
    """Make a release by a recipe.

    Applies the steps of the recipe in order and writes the release. The input is never touched.
    """

    file: str = options.file()
    recipe: str = option("FILE.toml", "Recipe that is applied to the original.", REQUIRED)
    out: str = options.out(
        "a release such as released.csv, or '#TABLE' in the database of the data.", REQUIRED
    )
    seed: int | None = options.seed(f"the recipe's, or {options.SECRET}")
    manifest: str | None = option("OUT.json", "Write what was done; keep it with the data.", section=OUTPUT)
    share: bool = flag(
        "With --manifest: write the copy that may go out with the release, without seed, secret parameters "
        "and counts of records.",
        section=OUTPUT,
    )
    write_key: str | None = option(
        "OUT.csv",
        "Write which original row each record was, for compare --key; keep it secret.",
        section=OUTPUT,
    )
    keep_order: bool = flag("Leave rows in their order. The order of rows can say whose they are.")
    overwrite: bool = options.overwrite()
    as_json: bool = options.as_json()
    exact_counts: bool = options.exact_counts()
    source: SourceOptions = table_options(
        anatomy=_ORIGINAL,
        weights="Name weights in the recipe.",
        missing="A recipe says which records are left out.",
    )


@dataclass(frozen=True, kw_only=True)
class AnonymizeRequest(OutputRequest, RolesRequest):
    """Find the least loss that meets a policy.

    Searches the levels of all hierarchies, with records suppressed up to a limit, and proves that
    nothing better exists, if time allows. A quasi-identifier without a hierarchy gets one from its values.
    Ctrl-C ends the search, and the best so far is written. Exit codes: 0 found, 2 nothing meets the policy or
    the data cannot be used, 130 stopped by Ctrl-C.
    """

    file: str | None = options.file_or_policy()
    policy: str | None = options.policy()
    k: int | None = option("N", "Least size of a group, where there is no policy.", min=2)
    thresholds: Names = option(
        "NAME=BOUND",
        "A threshold where there is no policy, such as t_closeness=0.2,ground=ordered; may be repeated.",
        called="--threshold",
    )
    suppress: str = option("SHARE", "Largest share of records that may be suppressed, such as 5%.", "0")
    loss: str = option(
        "NAME",
        "What is kept low: granularity, precision, discernibility, average_class_size, non_uniform_entropy, "
        "bits, need or classification.",
        "granularity",
    )
    importance: Names = option(
        "X=N", "How much an attribute counts in the loss, 1 by default; may be repeated."
    )
    need: str | None = options.need()
    predict: str | None = option("X", "With --loss classification: the attribute that is to be predicted.")
    time: str | None = option("TIME", "Stop after a time such as 60s, with the best so far.")
    local: bool = flag("Give every group its own levels, as fine as the policy allows.")
    mondrian: bool = flag("As --local, with numbers split in two where their values lie.")
    suppress_cells: bool = flag(
        "Suppress single cells in place of records; --suppress is then a share of cells."
    )
    leave_out: bool = flag("Leave suppressed records out, instead of marking them as suppressed.")
    show_hierarchies: bool = flag(
        "Print the hierarchies, with values of the table, and stop.", section=OUTPUT
    )
    out: str | None = options.out("a release such as released.csv.")
    write_recipe: str | None = options.write_recipe("It makes the release again, with the files it needs.")
    report: str | None = options.report_of_any_form()
    seed: int | None = options.seed(options.SECRET)
    keep_order: bool = flag("Leave rows in their order. The order of rows can say whose they are.")
    overwrite: bool = options.overwrite()
    exact_counts: bool = options.exact_counts()
    source: SourceOptions = table_options(anatomy=_ORIGINAL)
