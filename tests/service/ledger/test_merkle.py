"""Trees and proofs are those of RFC 6962, by its definitions and by published hashes."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.service.ledger.merkle import (
    EMPTY,
    consistency,
    folded,
    hashes_of,
    inclusion,
    is_consistent,
    is_included,
    leaf_hash,
    node_hash,
    parts,
)

# The leaves and roots with which implementations of Certificate Transparency are tested.
LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


# -- the definitions of RFC 6962, section 2.1, word for word ----------------------------------------


def split(leaves):
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return leaves[:k], leaves[k:]


def mth(leaves):
    if len(leaves) < 2:
        return hashlib.sha256(b"\0" + leaves[0] if leaves else b"").digest()
    left, right = split(leaves)
    return hashlib.sha256(b"\1" + mth(left) + mth(right)).digest()


def path(m, leaves):
    if len(leaves) == 1:
        return []
    left, right = split(leaves)
    if m < len(left):
        return [*path(m, left), mth(right)]
    return [*path(m - len(left), right), mth(left)]


def subproof(m, leaves, whole):
    if m == len(leaves):
        return [] if whole else [mth(leaves)]
    left, right = split(leaves)
    if m <= len(left):
        return [*subproof(m, left, whole), mth(right)]
    return [*subproof(m - len(left), right, False), mth(left)]


# -- ours -------------------------------------------------------------------------------------------


def nodes(leaves):
    """All complete subtrees."""
    found = {(0, place): leaf_hash(leaf) for place, leaf in enumerate(leaves)}
    for level in range(1, len(leaves).bit_length()):
        for place in range(len(leaves) >> level):
            left, right = found[level - 1, 2 * place], found[level - 1, 2 * place + 1]
            found[level, place] = node_hash(left, right)
    return found


def root_of(leaves):
    known = nodes(leaves)
    return folded([known[one] for one in parts((0, len(leaves)))])


@pytest.mark.parametrize("size", range(9))
def test_roots_are_the_published_ones(size):
    leaves = [bytes.fromhex(leaf) for leaf in LEAVES[:size]]
    assert root_of(leaves).hex() == ROOTS[size] == mth(leaves).hex()


def drawn(size):
    return [size.to_bytes(2, "big") + place.to_bytes(2, "big") for place in range(size)]


@given(st.data())
def test_proofs_are_those_of_the_definitions_and_hold(data):
    size = data.draw(st.integers(1, 130))
    leaves, leaf = drawn(size), data.draw(st.integers(0, size - 1))
    earlier = data.draw(st.integers(1, size))
    known, root = nodes(leaves), mth(leaves)
    included = hashes_of(inclusion(leaf, size), known)
    assert included == path(leaf, leaves)
    assert is_included(leaf_hash(leaves[leaf]), leaf, size, included, root)
    going_on = hashes_of(consistency(earlier, size), known)
    assert going_on == subproof(earlier, leaves, True)
    assert is_consistent(earlier, size, going_on, mth(leaves[:earlier]), root)


@given(st.data())
def test_nothing_else_is_proved(data):
    """Another leaf, place, size or root, or a path that is longer, shorter or changed, does not pass."""
    size = data.draw(st.integers(2, 70))
    leaves, leaf = drawn(size), data.draw(st.integers(0, size - 1))
    known, root = nodes(leaves), mth(leaves)
    right = (leaf_hash(leaves[leaf]), leaf, size, hashes_of(inclusion(leaf, size), known), root)
    changed = [*right]
    field = data.draw(st.integers(0, 4))
    if field == 1:
        changed[1] = data.draw(st.integers(-1, size + 1).filter(lambda place: place != leaf))
    elif field == 2:
        changed[2] = data.draw(st.integers(0, leaf))  # a larger size may have the same path
    elif field == 3:
        changed[3] = data.draw(st.sampled_from([right[3][1:], [*right[3], EMPTY], [EMPTY, *right[3][1:]]]))
    else:
        changed[field] = EMPTY
    assert is_included(*right)
    assert not is_included(*changed)


@given(st.data())
def test_a_tree_that_changed_what_was_there_is_not_consistent(data):
    size = data.draw(st.integers(2, 70))
    earlier = data.draw(st.integers(1, size))
    before, leaves = drawn(size)[:earlier], drawn(size)
    leaves[data.draw(st.integers(0, earlier - 1))] = b"rewritten"
    path = hashes_of(consistency(earlier, size), nodes(leaves))
    assert not is_consistent(earlier, size, path, mth(before), mth(leaves))
    assert is_consistent(earlier, size, path, mth(leaves[:earlier]), mth(leaves))
    assert not is_consistent(earlier, size, [*path, EMPTY], mth(leaves[:earlier]), mth(leaves))
    assert not is_consistent(size + 1, size, path, mth(leaves[:earlier]), mth(leaves))


def test_anything_goes_on_from_nothing_and_only_the_same_from_the_same():
    root = mth(drawn(5))
    assert consistency(0, 5) == consistency(5, 5) == []
    assert is_consistent(0, 5, [], EMPTY, root)
    assert not is_consistent(0, 5, [], root, root)
    assert is_consistent(5, 5, [], root, root)
    assert not is_consistent(5, 5, [], EMPTY, root)
    assert not is_consistent(3, 5, [], mth(drawn(5)[:3]), root)


def test_proofs_are_no_longer_than_the_logarithm():
    size = 10**6 + 7
    assert max(len(inclusion(leaf, size)) for leaf in (0, 1, 524287, 524288, size - 1)) <= 20
    assert max(len(consistency(earlier, size)) for earlier in (1, 3, 524287, 524289, size - 1)) <= 21
