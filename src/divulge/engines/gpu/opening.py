"""Which sources are counted on a graphics card: those that were opened for it, and what was made of them."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from divulge.engines.external.table import ExternalTable
from divulge.engines.gpu.arrays import card_arrays
from divulge.engines.gpu.engine import GpuEngine
from divulge.engines.gpu.words import CardColumns
from divulge.errors import SourceError
from divulge.source.base import Source

_CARDS: WeakKeyDictionary[Source, CardColumns] = WeakKeyDictionary()


def find_card() -> CardColumns:
    """The card, before anything is read; refused with what to install where there is none."""
    return CardColumns(card_arrays())


def count_on(source: Source, card: CardColumns) -> Source:
    """The source, which is counted on a card from now on."""
    if isinstance(source, ExternalTable):
        raise SourceError(
            "The engine 'gpu' is for a file or a table in memory, and these records stay where they are.",
            hint="Leave the engine out: it is chosen by the data.",
        )
    _CARDS[source] = card
    return source


def gpu_engine(source: Source, like: Source | None = None) -> GpuEngine | None:
    """The engine of a source that is counted on a card, or made of one that is; None otherwise.

    Rows of the latter are looked at one by one, however many they are: what is released is checked in full.
    """
    own = _CARDS.get(source)
    card = own or (None if like is None else _CARDS.get(like))
    return None if card is None else GpuEngine(source, card=card, row_by_row=own is None)
