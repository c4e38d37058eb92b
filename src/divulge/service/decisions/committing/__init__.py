"""Decisions of several requesters, made durable together."""
