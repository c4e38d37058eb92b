"""What can be asked for, and in which form: anything else is refused before it reaches the decider."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Header, Path, Query, Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from divulge.errors import NotFound
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import DecisionService
from divulge.service.decisions.keys import Key
from divulge.service.http.access import AccessContext
from divulge.service.http.problems import Invalid
from divulge.service.identities.approvals import MOST_DAYS, MOST_PERSONS, ApprovalRule
from divulge.service.identities.persons import LONGEST
from divulge.service.identities.scopes import MOST_RECORDS
from divulge.service.identities.subjects import Subject
from divulge.service.ledger.log_writer import SERVICE

IDEMPOTENCY = r"^[!-~]{1,200}$"
DATASET = r"^[a-z0-9][a-z0-9_-]{0,62}$"
RecordId = Annotated[str, Field(min_length=1, max_length=1024)]
LONGEST_QUERY = 10_000  # characters
Asking = ConfigDict(strict=True, extra="forbid", frozen=True)


class RecordBody(BaseModel):
    """One record."""

    model_config = Asking
    record: RecordId


class WantedAs(RecordBody):
    """One record, under a key that makes asking again harmless."""

    key: str = Field(pattern=IDEMPOTENCY)


class Batch(BaseModel):
    """Several records, to be decided in this order."""

    model_config = Asking
    requests: list[WantedAs] = Field(min_length=1)


class QueryBody(BaseModel):
    """One query of a guarded table."""

    model_config = Asking
    query: str = Field(min_length=1, max_length=LONGEST_QUERY)


class Proposal(BaseModel):
    """Rules that a dataset might be held to."""

    model_config = Asking
    tests: list[Literal["mis", "kld", "cst", "dqt", "seq"]] = Field(min_length=1, max_length=5)
    alpha: float = Field(ge=0.0001, le=0.9999)
    degrees: Literal["domain", "present"] = "domain"
    merging: Literal["smallest", "left", "right", "none"] = "smallest"
    limits: Literal["moments", "chi-square"] | None = None
    samples: int = Field(10_000, ge=100, le=100_000)
    seed: int = Field(0, ge=0, lt=1 << 53)
    familywise: bool = False
    form: Literal["each", "mean", "joint"] = "each"
    known_counts: bool = False
    approvals: int | None = Field(None, ge=1, le=MOST_PERSONS)
    open_days: int | None = Field(None, ge=1, le=MOST_DAYS)

    def rules(self) -> Rules:
        return Rules.of(**self.model_dump(exclude={"approvals", "open_days"}))

    def changed(self, rule: ApprovalRule) -> ApprovalRule:
        """How rules would be changed after these, where the proposal says so."""
        return ApprovalRule(self.approvals or rule.persons, self.open_days or rule.days)


def _time(given: str) -> str:
    """A time to come with its zone, written as the clock of the service writes it, to be compared with it."""
    try:
        found = datetime.fromisoformat(given)
        told = found.astimezone(UTC)
    except OverflowError:
        raise ValueError("not a valid time") from None
    if found.tzinfo is None or told <= datetime.now(UTC):
        raise ValueError("not a future time with its time zone")
    return told.isoformat(timespec="microseconds")


class SubjectBody(BaseModel):
    """Somebody whom an issuer of tokens vouches for."""

    model_config = Asking
    issuer: str = Field(min_length=1, max_length=1024)
    name: str = Field(min_length=1, max_length=255)


class NewKey(BaseModel):
    """A key to be made: a secret, or a role for a subject."""

    model_config = Asking
    role: Literal["requester", "steward", "auditor", "admin"]
    name: str = Field(min_length=1, max_length=100)
    person: str | None = Field(None, min_length=1, max_length=LONGEST)
    datasets: list[Annotated[str, Field(pattern=DATASET)]] | None = Field(None, min_length=1, max_length=100)
    records: list[RecordId] | None = Field(None, min_length=1, max_length=MOST_RECORDS)
    subject: SubjectBody | None = None
    expires: (
        Annotated[str, Field(json_schema_extra={"format": "date-time"}), AfterValidator(_time)] | None
    ) = None

    def given(self) -> dict[str, Any]:
        """What the decider is told."""
        subject = None if self.subject is None else Subject.of(self.subject.issuer, self.subject.name)
        return {**self.model_dump(), "subject": subject}


def _digits(given: Any) -> Any:
    """Whole numbers in a path or query are digits: no signs, spaces, points or underscores."""
    if isinstance(given, str) and not (given.isascii() and given.isdecimal() and len(given) < 16):
        raise ValueError("not a whole number")
    return given


def _of_people(name: str) -> str:
    if name == SERVICE:
        raise NotFound("The log of the service has no records.")
    return name


DIGITS = BeforeValidator(_digits)


class PageRequest(BaseModel):
    """The first of a list."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    most: Annotated[int, Field(ge=1, le=1000), DIGITS] = 100


class PartAfter(PageRequest):
    """A part of a list."""

    after: Annotated[int, Field(ge=0, lt=10**15), DIGITS] = 0


class Seen(BaseModel):
    """How many entries the newest checkpoint had that somebody has seen."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    since: Annotated[int, Field(ge=0, lt=10**15), DIGITS] | None = None


class Points(BaseModel):
    """How finely a curve is wanted."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    points: Annotated[int, Field(ge=2, le=2000), DIGITS] = 300


ChainName = Annotated[str, Path(pattern=DATASET)]
DatasetName = Annotated[ChainName, AfterValidator(_of_people)]
Ticket = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Version = Annotated[int, Path(ge=1, lt=1 << 31), DIGITS]
KeyId = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$")]
PartQuery = Annotated[PageRequest, Query()]
PartAfterQuery = Annotated[PartAfter, Query()]
SeenQuery = Annotated[Seen, Query()]
PointsQuery = Annotated[Points, Query()]


async def _only_key(
    request: Request, key: Annotated[str, Header(alias="Idempotency-Key", pattern=IDEMPOTENCY)]
) -> str:
    if len(request.headers.getlist("idempotency-key")) > 1:
        raise Invalid("The header Idempotency-Key must be sent once.")
    return key


async def _gate(request: Request) -> AccessContext:
    return request.app.state.gate


async def _decider(request: Request) -> DecisionService:
    return request.app.state.gate.decider


async def _caller(request: Request) -> Key:
    return request.state.key


Idempotency = Annotated[str, Depends(_only_key)]
TheGate = Annotated[AccessContext, Depends(_gate)]
TheDecider = Annotated[DecisionService, Depends(_decider)]
Caller = Annotated[Key, Depends(_caller)]
