"""Room for words that is used again: the system clears new room, which may take longer than the work."""

from __future__ import annotations

from threading import Lock

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
KEPT = 1 << 24  # words that are kept between uses at the most, in this process: 128 MiB


class KeptWords:
    """One array of words, kept between uses if it is not too large."""

    def __init__(self, most: int = KEPT) -> None:
        self.most = most
        self._lock, self._kept = Lock(), np.empty(0, np.uint64)

    def take(self, length: int) -> Words:
        """So many words, whatever they hold; only the caller has them.

        >>> room = KeptWords()
        >>> first = room.take(3)
        >>> room.give(first)
        >>> np.shares_memory(room.take(2), first)
        True
        """
        with self._lock:
            kept, self._kept = self._kept, np.empty(0, np.uint64)
        return kept[:length] if len(kept) >= length else np.empty(length, np.uint64)

    def give(self, words: Words) -> None:
        """Keep words that nobody reads any more, for the next who needs some."""
        whole: Words = words if words.base is None else words.base
        with self._lock:
            if len(self._kept) < len(whole) <= self.most:
                self._kept = whole


WORDS = KeptWords()
