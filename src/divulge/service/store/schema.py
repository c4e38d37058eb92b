"""The tables behind the service. Records live in one of them and nowhere else."""

from __future__ import annotations

import re

FIRST = 1  # the earliest version of the tables that can be brought to this one
# What has changed in the tables since, the latest last: each is a module in operations/migrations that brings
# earlier databases there. Its place here is its number, so that lines of two branches are simply both kept.
STEPS = (
    "sealed_records",  # what a decision uses is held to the log
    "stored_trees",  # nodes of the tree over a log are rows
    "removed_answers",  # answers that were removed leave a digest; who waits is found by key
    "persons_of_keys",  # keys have persons, scopes and subjects; policies the last entry of their proposal
    "guarded_tables",  # tables that stay where they are, and the queries that were asked of them
)
VERSION = FIRST + len(STEPS)

# the tables of a new database; columns that came later are at the end of theirs, as in one that was migrated
TABLES = (
    "CREATE TABLE IF NOT EXISTS made_by (version BIGINT NOT NULL)",
    # a dataset, its dependency and how its records are named
    """CREATE TABLE IF NOT EXISTS dataset (
        name TEXT PRIMARY KEY, identifier TEXT NOT NULL, x TEXT NOT NULL, y TEXT NOT NULL,
        partitions TEXT NOT NULL, following BIGINT NOT NULL)""",
    # what a dataset is or was held to: rules and baseline, as JSON
    """CREATE TABLE IF NOT EXISTS policy (
        dataset TEXT NOT NULL, version BIGINT NOT NULL, status TEXT NOT NULL, body TEXT NOT NULL,
        digest TEXT NOT NULL, proposed_by TEXT NOT NULL, approved_by TEXT, entry BIGINT,
        PRIMARY KEY (dataset, version))""",
    # the holder's records, with their cell; released: the entry of the log that let it out; seal: of the row
    """CREATE TABLE IF NOT EXISTS record (
        dataset TEXT NOT NULL, id TEXT NOT NULL, x BIGINT NOT NULL, y BIGINT NOT NULL, body TEXT NOT NULL,
        released BIGINT, seal TEXT NOT NULL, PRIMARY KEY (dataset, id))""",
    """CREATE TABLE IF NOT EXISTS cell (
        dataset TEXT NOT NULL, x BIGINT NOT NULL, y BIGINT NOT NULL, released BIGINT NOT NULL,
        PRIMARY KEY (dataset, x, y))""",
    # a request by its ticket; arrived and settled are entries of the log
    """CREATE TABLE IF NOT EXISTS request (
        ticket TEXT PRIMARY KEY, dataset TEXT NOT NULL, record TEXT NOT NULL, x BIGINT NOT NULL,
        y BIGINT NOT NULL, owner TEXT NOT NULL, status TEXT NOT NULL, arrived BIGINT NOT NULL,
        settled BIGINT)""",
    """CREATE INDEX IF NOT EXISTS request_waiting ON request (dataset, x, y, arrived)
        WHERE status = 'waiting'""",
    "CREATE INDEX IF NOT EXISTS request_record ON request (dataset, record) WHERE status = 'waiting'",
    "CREATE INDEX IF NOT EXISTS request_owner ON request (dataset, owner) WHERE status = 'waiting'",
    # what was answered, by who asked and their idempotency key
    """CREATE TABLE IF NOT EXISTS answer (
        owner TEXT NOT NULL, key TEXT NOT NULL, asked TEXT NOT NULL, answer TEXT NOT NULL,
        PRIMARY KEY (owner, key))""",
    # answers that were removed: digests of who asked under which key, and the entry that decided it
    """CREATE TABLE IF NOT EXISTS removed_answer (
        digest TEXT PRIMARY KEY, dataset TEXT NOT NULL, idx BIGINT NOT NULL, seal TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS entry (
        chain TEXT NOT NULL, idx BIGINT NOT NULL, at TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
        hash TEXT NOT NULL, seal TEXT NOT NULL, PRIMARY KEY (chain, idx))""",
    "CREATE INDEX IF NOT EXISTS entry_migrated ON entry (chain, idx) WHERE kind = 'migrated'",
    """CREATE TABLE IF NOT EXISTS head (
        chain TEXT PRIMARY KEY, epoch BIGINT NOT NULL, idx BIGINT NOT NULL, hash TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS api_key (
        id TEXT PRIMARY KEY, role TEXT NOT NULL, name TEXT NOT NULL, hash TEXT NOT NULL,
        created TEXT NOT NULL, expires TEXT, revoked TEXT, person TEXT, scope TEXT, subject TEXT)""",
    # the tree over a chain: hashes of the nodes that an entry completes, from the lowest
    """CREATE TABLE IF NOT EXISTS tree_node (
        chain TEXT NOT NULL, idx BIGINT NOT NULL, hashes TEXT NOT NULL, PRIMARY KEY (chain, idx))""",
    # a table that stays where it is, what it looked like then, and what queries of it are held to
    """CREATE TABLE IF NOT EXISTS guarded_table (
        name TEXT PRIMARY KEY, source TEXT NOT NULL, fingerprint TEXT NOT NULL, policy TEXT NOT NULL)""",
    # queries by digests of who asked under which key, and the entry that has all else
    """CREATE TABLE IF NOT EXISTS query (
        repeat TEXT PRIMARY KEY, dataset TEXT NOT NULL, idx BIGINT NOT NULL)""",
)

# of each table its columns with their types
COLUMNS = {
    found[1]: dict(re.findall(r"(\w+) (TEXT|BIGINT)\b", found[2]))
    for one in TABLES
    if (found := re.match(r"CREATE TABLE IF NOT EXISTS (\w+) \((.*)\)$", one, re.DOTALL))
}
