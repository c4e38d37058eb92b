"""Chains of subsets, each with one element more than the one before: few of them hold every subset."""

from __future__ import annotations

from typing import NamedTuple


class SubsetChain(NamedTuple):
    """The elements of the smallest subset, and those that are added one by one."""

    begin: tuple[int, ...]
    added: tuple[int, ...]

    @property
    def elements(self) -> tuple[int, ...]:
        return (*self.begin, *self.added)


def chains(elements: int) -> list[SubsetChain]:
    """Chains that hold every subset of so many elements once, as few as there can be.

    Elements that are in and out are read as brackets: those that match stay as they are, and the others
    are taken in from left to right (de Bruijn, Tengbergen and Kruyswijk; Greene and Kleitman).

    >>> [one.elements for one in chains(2)]
    [(0, 1), (1,)]
    >>> len(chains(7))
    35
    """
    found = []
    for mask in range(1 << elements):
        opened, matched = list[int](), set[int]()
        for place in range(elements):
            if not mask >> place & 1:
                opened.append(place)
            elif opened:
                matched |= {opened.pop(), place}
            else:
                break  # taken in without a match: not the smallest of its chain
        else:
            begin = tuple(place for place in range(elements) if mask >> place & 1)
            found.append(SubsetChain(begin, tuple(p for p in range(elements) if p not in matched)))
    return found
