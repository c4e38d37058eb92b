"""Progress is said on standard error, after a while and not before."""

import time

from divulge.cli import progress


def test_what_is_quick_says_nothing(capsys):
    with progress.progress("Counting"):
        pass
    assert capsys.readouterr() == ("", "")


def test_what_takes_long_is_said_on_standard_error(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with progress.progress("Counting"):
        time.sleep(0.2)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Counting ... 0 s")
