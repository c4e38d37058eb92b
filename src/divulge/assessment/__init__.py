"""Readings against thresholds: a verdict with reasons, and everything a report is made from."""

from __future__ import annotations

from divulge.assessment.assessment import Assessment, audit
from divulge.assessment.baseline import read_baseline

__all__ = ["Assessment", "audit", "read_baseline"]
