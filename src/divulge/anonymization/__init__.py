"""The search for the release of least loss that meets a policy."""

from divulge.anonymization.found import Anonymization
from divulge.anonymization.anonymizing import anonymize

__all__ = ["Anonymization", "anonymize"]
