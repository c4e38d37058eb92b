"""Sizes as people write them, the shares of a budget, and room on the disk."""

from collections import namedtuple

import pytest

from divulge.engines.out_of_core.budget import Budget, parsed, require_room, spilling
from divulge.errors import SourceError
from divulge.limits.sizes import spelled


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("4GB", 4 * 10**9),
        ("4 gb", 4 * 10**9),
        ("4G", 4 * 10**9),
        ("500 MiB", 500 * 2**20),
        ("1.5g", 1_500_000_000),
        (" 2TiB ", 2 * 2**40),
        ("700kb", 700_000),
        ("123456789", 123456789),
        (123456789, 123456789),
    ],
)
def test_a_size_in_its_usual_spellings(written, size):
    assert parsed(written) == size


@pytest.mark.parametrize("written", ["", "much", "GB", "-1GB", "4 GB of it", "4,5GB", "1e9", "nan", "50%"])
def test_what_is_no_size_is_refused_with_an_example(written):
    with pytest.raises(SourceError, match=r"is not a size of memory.*such as 4GB or 500MiB"):
        parsed(written)


@pytest.mark.parametrize("written", ["500", "499MB", 0])
def test_a_budget_that_nothing_fits_into_is_refused(written):
    with pytest.raises(SourceError, match="is too small; 500 MB is the least"):
        Budget.of(written)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1 kB"),
        (1.5e9, "1.5 GB"),
        (12.34e9, "12 GB"),
        (5e15, "5000 TB"),
    ],
)
def test_a_size_is_spelled_for_reading(size, text):
    assert spelled(size) == text


def test_the_parts_of_a_budget_add_up_to_less_than_it():
    shared = Budget.of("4GB")
    assert shared.database + shared.held == shared.free < shared.total
    assert shared.threads >= 1


def test_groups_that_fit_into_memory_need_no_disk():
    assert spilling(Budget.of("1GB"), 10**9, 1000, 8) == (1, 0)


def test_groups_that_do_not_fit_may_be_written_record_by_record():
    parts, needed = spilling(Budget.of("1GB"), 10**8, 10**7, 20)
    assert parts == 1
    assert needed == 10**8 * 100


def test_very_many_groups_are_counted_in_parts_that_take_less_disk_each():
    parts, needed = spilling(Budget.of("500MB"), 10**9, 10**9, 20)
    assert parts > 10
    assert needed == 10**9 * 100 // parts


def test_no_room_on_the_disk_is_told_with_both_numbers(tmp_path, monkeypatch):
    usage = namedtuple("usage", "free")
    monkeypatch.setattr("shutil.disk_usage", lambda folder: usage(free=3_100_000_000))
    require_room(tmp_path, 3_100_000_000, "Counting")
    with pytest.raises(
        SourceError, match=r"Counting a may take 12 GB of disk, and .* has 3\.1 GB free.*TMPDIR"
    ):
        require_room(tmp_path, 12_000_000_000, "Counting a")
