"""Under which name a person's budget is kept: of names that look like one person, the first that had a key.

Logs have digests of names, which cannot be compared; so names are, by the keys that were made.
"""

from __future__ import annotations

from divulge.service.decisions.keys import all_keys
from divulge.service.identities.persons import same_person
from divulge.service.store.connection import Database


class SameAnalysts:
    """Names of analysts by the first that looks like them, which stays so whatever keys are made later."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._first: dict[str, str] = {}

    def first(self, person: str) -> str:
        """The name under which a person is counted."""
        if person not in self._first:
            keys = self._database.read(all_keys)  # the earliest first, those that were revoked among them
            named = [one.person or one.id for one in keys]
            found = next((one for one in named if same_person(one, person)), None)
            if found is None:
                return person
            self._first[person] = found
        return self._first[person]
