"""Whom records are about: people, copies of records, samples of a population."""
