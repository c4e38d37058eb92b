"""The release migrate command: what was changed in a database, or would be."""

from __future__ import annotations

import shlex

from divulge.cli.commands.release.dataset import OPERATOR, place_of
from divulge.cli.progress import progress
from divulge.cli.requests.release import MigrateRequest
from divulge.service.operations.migrations.migrating import migrate
from divulge.service.store.schema import VERSION


def run_migrate(asked: MigrateRequest) -> None:
    with progress("Migrating"):
        found = migrate(place_of(asked), OPERATOR, dry_run=asked.dry_run)
    if not found.steps:
        print(f"{found.name}: tables of version {VERSION} already, nothing to change")
        return
    done = "would be changed" if asked.dry_run else "changed"
    print(f"{found.name}: tables {done} from version {found.before} to {VERSION}")
    print(*(f"  {step.version}: {step.said}" for step in found.steps), sep="\n")
    if asked.dry_run:
        copied = f"divulge release backup {shlex.quote(asked.database)} COPY"
        print(f"Nothing was written. Make a copy first: {copied}")
