"""A Merkle tree as in RFC 6962 and RFC 9162: its hashes, and proofs that take no more than their logarithm.

A proof is a list of hashes, each of a range of leaves. A range is made of complete subtrees, the nodes of the
tree, of which each is known by its level and its place on it, both from 0.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

Node = tuple[int, int]  # level and place
LeafRange = tuple[int, int]  # the first leaf, and the one after the last
EMPTY = hashlib.sha256().digest()  # the root of a tree without leaves


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def folded(parts: Sequence[bytes]) -> bytes:
    """The hash over complete subtrees that stand side by side, the largest first."""
    if not parts:
        return EMPTY
    found = parts[-1]
    for left in reversed(parts[:-1]):
        found = node_hash(left, found)
    return found


# -- which hashes are needed ------------------------------------------------------------------------


def parts(leaves: LeafRange) -> list[Node]:
    """The complete subtrees that a range is made of, the largest first.

    >>> parts((0, 7))
    [(2, 0), (1, 2), (0, 6)]
    """
    first, end = leaves
    found = []
    while first < end:
        level = (end - first).bit_length() - 1
        found.append((level, first >> level))
        first += 1 << level
    return found


def inclusion(leaf: int, size: int) -> list[LeafRange]:
    """The ranges whose hashes lead from a leaf to the root, the nearest first.

    >>> inclusion(3, 7)
    [(2, 3), (0, 2), (4, 7)]
    """
    first, end, found = 0, size, []
    while end - first > 1:
        middle = first + _split(end - first)
        if leaf < middle:
            found.append((middle, end))
            end = middle
        else:
            found.append((first, middle))
            first = middle
    return found[::-1]


def consistency(earlier: int, size: int) -> list[LeafRange]:
    """The ranges whose hashes show that a tree goes on from an earlier one.

    >>> consistency(3, 7)
    [(2, 3), (3, 4), (0, 2), (4, 7)]
    """
    if not 0 < earlier < size:
        return []
    first, end, found = 0, size, []
    while earlier < end:
        middle = first + _split(end - first)
        if earlier <= middle:
            found.append((middle, end))
            end = middle
        else:
            found.append((first, middle))
            first = middle
    if first:  # what is left of the earlier tree is not all of it
        found.append((first, end))
    return found[::-1]


def _split(size: int) -> int:
    """The largest power of two below a size."""
    return 1 << (size - 1).bit_length() - 1


def hashes_of(ranges: Sequence[LeafRange], nodes: Mapping[Node, bytes]) -> list[bytes]:
    """A proof, from nodes that are known; KeyError where one is not."""
    return [folded([nodes[one] for one in parts(leaves)]) for leaves in ranges]


# -- checking ---------------------------------------------------------------------------------------


def is_included(leaf: bytes, place: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether a path shows that a leaf stands at a place, from 0, under a root."""
    if not 0 <= place < size:
        return False
    here, last, found = place, size - 1, leaf
    for one in path:
        if last == 0:
            return False
        if here & 1 or here == last:
            found = node_hash(one, found)
            while here and not here & 1:
                here, last = here >> 1, last >> 1
        else:
            found = node_hash(found, one)
        here, last = here >> 1, last >> 1
    return last == 0 and found == root


def is_consistent(earlier: int, size: int, path: Sequence[bytes], earlier_root: bytes, root: bytes) -> bool:
    """Whether a path shows that the tree under a root has all leaves of an earlier one, unchanged."""
    if not 0 <= earlier <= size:
        return False
    if earlier == 0:  # anything goes on from nothing
        return not path and earlier_root == EMPTY
    if earlier == size:
        return not path and earlier_root == root
    known = [earlier_root, *path] if earlier & (earlier - 1) == 0 else [*path]
    if not known:
        return False
    here, last = earlier - 1, size - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    before = after = known[0]
    for one in known[1:]:
        if last == 0:
            return False
        if here & 1 or here == last:
            before, after = node_hash(one, before), node_hash(one, after)
            while here and not here & 1:
                here, last = here >> 1, last >> 1
        else:
            after = node_hash(after, one)
        here, last = here >> 1, last >> 1
    return last == 0 and before == earlier_root and after == root
