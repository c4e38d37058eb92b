"""The search for the release of least loss that meets a policy."""

from divulge.anonymization.anonymizing import anonymize
from divulge.anonymization.found import Anonymization

__all__ = ["Anonymization", "anonymize"]
