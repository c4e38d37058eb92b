"""Compiled loops are kept on disk only where there is a place for them."""

import os

from divulge._support import compilation


def test_without_a_folder_to_write_to_nothing_is_kept(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    assert not compilation._can_keep()


def test_a_folder_that_numba_was_told_is_enough(monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", "anywhere")
    monkeypatch.setattr(os, "access", lambda place, mode: False)
    assert compilation._can_keep()
