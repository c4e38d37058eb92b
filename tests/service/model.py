"""What the service should do, in plain Python: a table, who is outside, who waits, what was answered.

Whether a record may leave is told by ``release.reference``; who waits is a list that is searched from its
head.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from divulge.safe_release import Guard
from safe_release.reference import is_safe
from safe_release.situations import held
from service.judge import Person, matrix


@dataclass(frozen=True)
class Waiting:
    record: str
    cell: Person
    owner: str


@dataclass
class Model:
    """A dataset as it should stand."""

    people: dict[str, Person]  # the holder's table
    guard: Guard  # in force
    entries: int = 1
    outside: dict[str, Person] = field(default_factory=dict)  # as they left
    waiting: dict[str, Waiting] = field(default_factory=dict)  # by ticket, in the order of arrival
    tickets: dict[str, str] = field(default_factory=dict)  # and their owners
    answers: dict[tuple[str, str], tuple[str, dict]] = field(default_factory=dict)  # by owner and key
    proposals: dict[int, tuple[str, object]] = field(default_factory=dict)  # who proposed, on what baseline
    policies: int = 1

    @property
    def cells(self) -> Counter[Person]:
        return Counter(self.outside.values())

    @property
    def baseline(self) -> tuple[Counter[str], Counter[str]]:
        """What an observer expects who knows the table: how often each age and each place occurs."""
        ages, places = zip(*self.people.values(), strict=True)
        return Counter(ages), Counter(places)

    def safe(self, *more: Person) -> bool:
        """Whether what is outside passes the tests, with some more."""
        return is_safe(matrix(self.cells + Counter(more), self.guard), held(self.guard))

    def known(self, cell: Person) -> bool:
        """Whether the baseline expects such people at all."""
        baseline = self.guard.baseline
        values = dict(zip(baseline.domain.values, baseline.shares, strict=True))
        targets = dict(zip(baseline.domain.targets, baseline.target_shares, strict=True))
        return values.get(cell[0], 0) > 0 and targets.get(cell[1], 0) > 0

    # -- what may happen ------------------------------------------------------------------------

    def decide(self, record: str) -> str:
        """What a request leads to, those that leave after it aside."""
        if record in self.outside:
            return "released"
        cell = self.people[record]
        if not self.known(cell):
            return "refused"
        return "released" if self.safe(cell) else "waiting"

    def request(self, record: str, owner: str, ticket: str) -> None:
        """Carry a request out that got this ticket."""
        decision = self.decide(record)
        self.entries += 1
        self.tickets[ticket] = owner
        if decision == "waiting":
            self.waiting[ticket] = Waiting(record, self.people[record], owner)
        elif decision == "released" and record not in self.outside:
            self.outside[record] = self.people[record]
            self.search()

    def search(self) -> None:
        """Whoever waits and may leave does, from the first, until none may."""
        while leaving := next((one for one in self.waiting.values() if self.may_leave(one)), None):
            self.entries += 1
            self.outside[leaving.record] = leaving.cell
            self.forget({leaving.record})

    def may_leave(self, one: Waiting) -> bool:
        return self.known(one.cell) and self.safe(one.cell)

    def forget(self, records: set[str]) -> bool:
        """Nobody waits for these any longer; says whether somebody did."""
        left = {ticket: one for ticket, one in self.waiting.items() if one.record not in records}
        found = len(left) < len(self.waiting)
        self.waiting = left
        return found

    def withdraw(self, ticket: str) -> None:
        self.entries += 1
        del self.waiting[ticket]

    def hold_to(self, guard: Guard) -> None:
        self.entries += 1
        self.guard = guard
        self.search()

    def update(self, people: dict[str, Person], guard: Guard) -> None:
        """The holder's table is another now, and the guard in force may be."""
        changed = {one for one, cell in self.people.items() if people.get(one) != cell}
        self.entries += self.forget(changed - set(self.outside))
        self.people = people
        self.hold_to(guard)
