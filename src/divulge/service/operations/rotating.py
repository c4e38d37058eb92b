"""Another key in the place of the holder's: each step can be done again after the one before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from divulge.errors import Conflict, Unavailable
from divulge.service.decisions.decisions import DecisionService
from divulge.service.ledger.checkpoints import Checkpoint
from divulge.service.ledger.cosignatures import fingerprint_of
from divulge.service.ledger.durable import replace_file
from divulge.service.ledger.hand_overs import (
    HANDED_OVER,
    HandOver,
    keep_hand_overs,
    key_of,
    logged_hand_overs,
)
from divulge.service.ledger.log_tree import tree_at
from divulge.service.ledger.log_writer import (
    NO_TIP,
    SERVICE,
    LogWriter,
    open_chain,
    tip_of,
    tip_query,
)
from divulge.service.ledger.secrets import PUBLIC, public_pem_of, raw
from divulge.service.operations.locations import ServiceLocations
from divulge.service.signing.remote_signer import RemoteSigner
from divulge.service.signing.signer import RetiredKeys
from divulge.service.signing.signing_key import SigningKey
from divulge.service.store.connection import Transaction

ATTEMPTS = 20  # to hand over while other services go on
HandingOver = Callable[[Sequence[Checkpoint]], Sequence[HandOver]]


def rotate(place: ServiceLocations, by: str) -> tuple[str, str]:
    """Replace the key that signs; says the fingerprints of the old and the new one."""
    old, new = _rotate_here(place, by) if place.signer is None else _rotate_there(place, by)
    with _opened(place) as decider:  # so that what was signed last has the new key's signature
        for chain in sorted({*_chains(decider)} - {*decider.behind}):
            decider.checkpoint(chain)
    return fingerprint_of(old), fingerprint_of(new)


def _rotate_here(place: ServiceLocations, by: str) -> tuple[Ed25519PublicKey, Ed25519PublicKey]:
    key = SigningKey(place.keys)
    old = key.public
    if not key.is_half_replaced:
        with _opened(place) as decider:
            done = [one for one in decider.keys.hand_overs if one.old == raw(old).hex()]
            if done and (key.next is None or done[0].new != raw(key.next.public_key()).hex()):
                raise Conflict(
                    f"The key was handed over to {fingerprint_of(key_of(done[0].new))}, which is not here.",
                    hint="Put back the folder of keys as it was when rotate-key was interrupted.",
                )
            if not done:
                key.prepare()
                _begin_service_log(decider)
                # Other processes that have the key stop signing first, so what they have signed is known.
                RetiredKeys(place.anchors).add(fingerprint_of(old))
            _add_to_log(decider, by, lambda states: done or key.hand_over(states))
    return old, key.replace().public


def _rotate_there(place: ServiceLocations, by: str) -> tuple[Ed25519PublicKey, Ed25519PublicKey]:
    with _opened(place) as decider:
        signer, old = decider.signer, decider.secrets.public
        assert isinstance(signer, RemoteSigner), "a socket was named"
        new, told = signer.who()
        if raw(new) == raw(old):
            _begin_service_log(decider)
            told = _handed_over_there(decider, signer)
        keys = decider.keys.with_more(told)
        new = keys.current()
        if raw(new) == raw(old):
            raise Conflict("The process that signs has a key that the holder's key was not handed over to.")
        done = [one for one in told if one.new == raw(new).hex()]
        _add_to_log(decider, by, lambda states: done)
        replace_file(place.keys / PUBLIC, public_pem_of(new), 0o644)
    return old, new


def _handed_over_there(decider: DecisionService, signer: RemoteSigner) -> list[HandOver]:
    for _ in range(ATTEMPTS):
        states = decider.database.read(lambda connection: _states(decider, connection))
        found = signer.hand_over(states)
        if found is not None:
            return found
    raise Unavailable("Other services sign all the time, so the key could not be handed over.")


@contextmanager
def _opened(place: ServiceLocations) -> Iterator[DecisionService]:
    decider = place.open()
    with closing(decider.database):
        for chain, why in decider.behind.items():
            raise Conflict(f"The key is not rotated while '{chain}' is read-only. {why}")
        yield decider


def _chains(decider: DecisionService) -> list[str]:
    return [chain for (chain,) in decider.database.read(lambda c: c.rows("SELECT chain FROM head"))]


def _begin_service_log(decider: DecisionService) -> None:
    """Where no key was ever made, sign that the log of the service is empty, before it is written to."""
    if decider.anchors.newest(SERVICE) is None:
        decider.database.transact(SERVICE, lambda connection: open_chain(connection, SERVICE))
        decider.checkpoint(SERVICE)


def _states(decider: DecisionService, connection: Transaction) -> list[Checkpoint]:
    """Where every chain stands, the service's among them even where it was not begun."""
    chains = {chain for (chain,) in connection.rows("SELECT chain FROM head")} | {SERVICE}
    found = []
    for chain in sorted(chains):
        tip = tip_of(connection.rows(*tip_query(chain))) or NO_TIP
        if tip.head.entries:
            decider.require_newest(connection, chain, tip, decider.expected(chain))
        root = tree_at(connection, chain, tip.head.entries).root
        found.append(Checkpoint(chain, *tip.head, decider.time(tip.at), "", root))
    return found


def _add_to_log(decider: DecisionService, by: str, hand_over: HandingOver) -> None:
    """Put the hand-over of every chain into the log of the service, all at once, if it is not there."""

    def work(connection: Transaction) -> Sequence[HandOver]:
        states = _states(decider, connection)
        found = hand_over(states)
        if not {*found} <= {*logged_hand_overs(connection)}:
            at = decider.time(next(one.at for one in states if one.chain == SERVICE))
            writer = LogWriter.opened(connection, SERVICE, decider.secrets.digest, at)
            writer.add(HANDED_OVER, {"by": by, "hand_overs": [one.to_dict() for one in found]})
            connection.write(writer.writings())
        return found

    found = decider.database.transact(SERVICE, work)
    keep_hand_overs(decider.anchors.folder, found)
