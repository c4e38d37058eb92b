"""The chains of a database and their checkpoints: a chain that is older than these is not written to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime

from divulge.errors import Conflict, NotFound, SourceError, Unavailable
from divulge.service.ledger.chain import ODD
from divulge.service.ledger.checkpoints import Anchors, Checkpoint
from divulge.service.ledger.hand_overs import HolderKeys, logged_hand_overs, read_hand_overs
from divulge.service.ledger.known_states import Expected, KnownStates, contradicted, older_than, unsigned_loss
from divulge.service.ledger.log_tree import LogTree, tree_at, tree_fault
from divulge.service.ledger.log_writer import NO_TIP, Head, Tip, tip_of, tip_query
from divulge.service.ledger.secrets import Secrets
from divulge.service.ledger.tail import tail_fault
from divulge.service.signing.signer import ROTATED, LocalSigner, Signer
from divulge.service.store.connection import Database, Transaction

EVERY = 256  # entries between checkpoints that are kept


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")


def known_tip(connection: Transaction, dataset: str) -> Tip:
    """The last entry of a dataset's log; NotFound where there is no such dataset."""
    tip = tip_of(connection.rows(*tip_query(dataset)))
    if tip is None:
        raise NotFound(f"There is no dataset '{dataset}'.")
    return tip


@dataclass
class CheckpointedChains:
    """A database with its chains, the holder's secrets, and where checkpoints are kept."""

    database: Database
    secrets: Secrets
    anchors: Anchors
    clock: Callable[[], str] = now
    signed_by: InitVar[Signer | None] = None  # another process; without it, this one signs
    behind: dict[str, str] = field(init=False, default_factory=dict)  # chains not to be written to, and why

    def __post_init__(self, signed_by: Signer | None) -> None:
        self.signer: Signer = signed_by or LocalSigner(self.secrets, self.anchors.folder)
        self.announce: Callable[[Checkpoint], None] = lambda signed: None  # told of every checkpoint
        self.known = KnownStates(self.anchors, self._holder_keys())
        self._foreseen: dict[str, Checkpoint] = {}  # not signed yet
        self._rotated = False  # since this process began
        self._continued: dict[str, Checkpoint] = {}  # the newest in the folder that a log goes on from
        self._held_to_signer: set[str] = set()  # chains that were compared with what the signer signed last
        self.check_anchors()

    def _holder_keys(self) -> HolderKeys:
        """The keys that have signed, by the log of the service and by what is kept beside checkpoints."""
        logged = self.database.read(logged_hand_overs)
        return HolderKeys(self.secrets.public, (*logged, *read_hand_overs(self.anchors.folder)))

    @property
    def keys(self) -> HolderKeys:
        return self.known.keys

    def signing_fault(self) -> str | None:
        """Why nothing can be signed now, so that nothing can be decided, in a sentence."""
        if self.keys.current_raw() != self.secrets.public_raw:
            return ROTATED
        return self.signer.fault()

    def require_signer(self) -> None:
        """Refuse before anything is decided what could not be signed afterwards."""
        fault = self.signing_fault()
        if fault is not None:
            raise Unavailable(fault)

    def time(self, last: str = "") -> str:
        """The time by the clock, but never before the last entry: a clock may be set back."""
        return max(self.clock(), last, self.known.last_time())

    def expected(self, chain: str) -> Expected:
        """What a chain must have reached, to be asked before the database is."""
        try:
            found = self.known.expected(chain)
            if self._rotated or (found.fault is not None and self._was_rotated()):
                return self.known.expected(chain)._replace(refused=ROTATED)
        except (OSError, SourceError) as error:
            raise Unavailable("The newest checkpoint cannot be read, so nothing is decided.") from error
        if chain in self._held_to_signer:
            return found
        try:
            return found._replace(shown=self.last_signed(chain))
        except Unavailable as error:
            return found._replace(refused=str(error))

    def _was_rotated(self) -> bool:
        """Whether the key was handed over since; if so, what the next one signs is the holder's as well."""
        more = {*read_hand_overs(self.anchors.folder)} - {*self.keys.hand_overs}
        if more:
            self.known.keys = self.keys.with_more(more)
        self._rotated = self.keys.current_raw() != self.secrets.public_raw
        return self._rotated

    def last_signed(self, chain: str) -> Checkpoint | None:
        """What the signer has signed last of a chain, if the holder's keys have."""
        shown = self.signer.last(chain)
        return shown if shown is not None and self.keys.has_signed(shown) else None

    def turned_back(self, connection: Transaction, chain: str, tip: Tip, expected: Expected) -> str | None:
        """Why the database does not show the newest state of a chain; from then on it is read-only."""
        fault = self.behind.get(chain)
        if fault is None:
            fault = older_than(connection, chain, tip, expected, self.secrets.digest)
            if fault is not None:
                self.behind[chain] = fault
        if fault is None and expected.refused is not None:
            return expected.refused  # until the signer is there
        if fault is None:
            self._held_to_signer.add(chain)
        if fault is None and expected.signed is None and tip.head.entries:
            return self._unsigned(chain, tip.head)  # it may be signed in a moment
        return fault

    def refusal(self, chain: str, expected: Expected, behind: str) -> Unavailable:
        """Why a chain is not gone on with: it is behind, or it is not known whether it is."""
        return Unavailable(behind if chain in self.behind else expected.refused or behind)

    def require_newest(self, connection: Transaction, chain: str, tip: Tip, expected: Expected) -> None:
        """Refuse to go on with a chain that was turned back."""
        if self.turned_back(connection, chain, tip, expected) is not None:
            said = "This dataset is read-only until it is reconciled, so nothing is decided."
            raise self.refusal(chain, expected, said)

    def tip_there(self, connection: Transaction, chain: str, expected: Expected) -> Tip:
        """The last entry of a log; NotFound where there is none, unless one was seen or signed before."""
        tip = tip_of(connection.rows(*tip_query(chain)))
        if tip is None and expected.seen is None and expected.signed is None:
            raise NotFound(f"There is no dataset '{chain}'.")
        if tip is None:
            self.require_newest(connection, chain, NO_TIP, expected)
        return tip or NO_TIP

    def require_newest_log(self, connection: Transaction, chain: str, expected: Expected) -> Tip:
        """The last entry of a log that is not older than what was answered, before anything of it is told."""
        tip = self.tip_there(connection, chain, expected)
        self.require_newest(connection, chain, tip, expected)
        return tip

    def _unsigned(self, chain: str, head: Head) -> str:
        return (
            f"{self.anchors.folder} has no newest checkpoint of '{chain}', so it is not known whether the "
            f"{head.entries} entries in the database are the newest. If it is not left anywhere, "
            f"continue with: divulge release reconcile DATABASE --dataset {chain} --accept-loss"
        )

    def checkpoint(self, chain: str) -> Checkpoint:
        """Sign how far a chain has come, and keep that outside the database."""
        if chain in self.behind:
            raise Unavailable("This log is not the one that was signed before, so nothing is signed.")
        self.require_signer()
        expected = self.expected(chain)
        tip, root = self.database.read(lambda connection: self._newest(connection, chain, expected))
        signed = self.signed(chain, tip.head, root)
        self.put_down(signed, kept=True)
        self.known.trust(signed)
        self.known.saw(chain, tip)
        self.announce(signed)
        return signed

    def _newest(self, connection: Transaction, chain: str, expected: Expected) -> tuple[Tip, str]:
        tip = known_tip(connection, chain)
        fault = older_than(connection, chain, tip, expected, self.secrets.digest)
        if fault is not None:
            self.behind[chain] = fault
            raise Unavailable("This log is not the one that was signed before, so nothing is signed.")
        return tip, tree_at(connection, chain, tip.head.entries).root

    def sign_ahead(self, chain: str, head: Head, root: str, at: str) -> None:
        """Make ready to sign how far a chain will have come, once entries of a time are in the database."""
        plain = self._foreseen[chain] = Checkpoint(chain, *head, self.time(at), "", root)
        self.signer.ahead(plain)

    def signed(self, chain: str, head: Head, root: str, tree: LogTree | None = None) -> Checkpoint:
        """A checkpoint of how far a chain has come, and its tree; or of more that was signed meanwhile."""
        plain = self._foreseen.pop(chain, None)
        if plain is None or (plain.epoch, plain.count, plain.head, plain.root) != (*head, root):
            plain = Checkpoint(chain, *head, self.time(), "", root)
        try:
            return self.signer.sign(plain, tree)
        except Conflict as error:
            self.behind[chain] = str(error)
            raise Unavailable("This log does not continue what was signed, so no answer is given.") from error

    def note(self, chain: str, before: int, head: Head, root: str, tree: LogTree | None = None) -> Checkpoint:
        """Put down how far a chain has come since so many entries; where that fails, no answer may go out."""
        signed = self.signed(chain, head, root, tree)
        self.known.trust(signed)
        try:
            self.put_down(signed, kept=before // EVERY < head.entries // EVERY)
        except (OSError, SourceError) as error:
            raise Unavailable("The checkpoint could not be written, so no answer is given.") from error
        self.announce(signed)
        return signed

    def put_down(self, signed: Checkpoint, *, kept: bool) -> None:
        """Keep a checkpoint in the folder, unless another copy of the database has one there."""
        put = self.anchors.keep if kept else self.anchors.note
        try:
            put(signed, self._against_last)
        except Conflict as error:
            self.behind[signed.chain] = str(error)
            raise Unavailable(
                "Another database signed other entries of this log, so no answer is given."
            ) from error
        self._continued[signed.chain] = signed

    def _against_last(self, last: Checkpoint) -> str | None:
        """Why a log does not go on from the newest checkpoint in the folder; its own is known to be fine."""
        return None if self._continued.get(last.chain) == last else self.held_against(last)

    def held_against(self, signed: Checkpoint) -> str | None:
        """Why a log is not what somebody else shows a checkpoint of; from then on it is read-only."""
        chain = signed.chain
        if not self.keys.has_signed(signed):
            return None  # anybody can show that

        def work(connection: Transaction) -> str | None:
            head = (tip_of(connection.rows(*tip_query(chain))) or NO_TIP).head
            return contradicted(connection, chain, head, [signed], self.secrets.digest)

        fault = self.database.read(work)
        if fault is not None:
            self.behind.setdefault(chain, fault)
        return fault

    def covering(self, chain: str, entries: int, signed: Checkpoint | None) -> Checkpoint:
        """A checkpoint of a tree with so many entries or more: the one that is given, or else a new one."""
        if signed is None or signed.root is None or signed.count < entries:
            return self.checkpoint(chain)
        return signed

    def check_anchors(self) -> None:
        """Find chains that are older than their newest checkpoint, or others: they may not be written to."""
        self._held_to_signer.clear()
        rows = self.database.read(lambda connection: connection.rows("SELECT chain FROM head"))
        for chain in {*(chain for (chain,) in rows), *self.anchors.chains()}:
            fault = self._against(chain)
            if fault is None:
                self.behind.pop(chain, None)
            else:
                self.behind[chain] = fault

    def _against(self, chain: str) -> str | None:
        """What is wrong with a chain, by all its checkpoints and its last entries."""
        try:
            signed = self.anchors.kept(chain)  # before the database, which others may add to meanwhile
            newest = self.anchors.newest(chain)
        except SourceError as error:
            return str(error)
        except OSError as error:
            return f"The checkpoints in {self.anchors.folder} cannot be read: {error.strerror}."
        try:
            shown = self.last_signed(chain)
        except Unavailable:
            shown = None  # it is asked again before the chain is good

        def work(connection: Transaction) -> str | None:
            tip = tip_of(connection.rows(*tip_query(chain))) or NO_TIP
            head, key = tip.head, self.secrets.digest
            known = signed if shown is None else [*signed, shown]
            fault = contradicted(connection, chain, head, known, key)
            fault = fault or unsigned_loss(head, shown)
            if fault is None and head.entries and newest is None:
                return self._unsigned(chain, head)
            fault = fault or tail_fault(connection, chain, head, key)
            fault = fault or tree_fault(connection, chain, head.entries, signed)
            if fault is None:
                self.known.saw(chain, tip)  # so that times go on from there, whatever the clock says
            return fault

        try:
            return self.known.unsigned(signed) or self.database.read(work)
        except (Unavailable, *ODD):
            return "The last entries of the log cannot be read: the database is damaged."
