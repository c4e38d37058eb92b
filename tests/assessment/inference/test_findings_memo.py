"""Large findings are held for a while only, small ones stay."""

from types import SimpleNamespace
from typing import Any

from divulge.assessment.inference.findings_memo import FindingsMemo
from divulge.assessment.inference.key_set_findings import KeySetFindings
from divulge.assessment.inference.revealing_groups import Bar


def findings(entries: int) -> KeySetFindings:
    ways: Any = [SimpleNamespace(owner=range(entries))]
    return KeySetFindings(("age",), {Bar(0.9, 0.1): ways})


def test_the_oldest_large_findings_give_way_and_small_ones_stay():
    memo = FindingsMemo(held=100, large=10)
    memo.hold("small", findings(9), None)
    for name in ("first", "second"):
        memo.hold(name, findings(40), None)
    assert memo.get("first") is not None  # asked for again, so that the second is older now
    memo.hold("third", findings(40), None)
    assert [name in memo for name in ("small", "first", "second", "third")] == [True, True, False, True]
    assert memo.get("second") is None


def test_the_latest_findings_are_held_however_large():
    memo = FindingsMemo(held=100, large=10)
    memo.hold("first", findings(50), None)
    memo.hold("huge", findings(1000), None)
    found = memo.get("huge")
    assert found is not None
    assert found.entries == 1000
    assert "first" not in memo
