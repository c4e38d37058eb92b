"""The attacker commands on senders: crowds, mixes and degrees of anonymity."""

from __future__ import annotations

import sys

import numpy as np

from divulge import documents
from divulge._support.wording import aligned, many, number
from divulge.cli.commands.attackers.account_text import said_rows
from divulge.cli.commands.attackers.accounts import (
    asked_account,
    deliver_account,
    deliver_figures,
    observed_of,
    orders_of,
    write_page,
)
from divulge.cli.requests.attacker import CrowdsRequest, DegreesRequest, MixRequest
from divulge.documents import as_json as written_json
from divulge.documents.attacker import DegreesDocument, MixDocument, MixEntry
from divulge.errors import ParameterError, counted
from divulge.estimation.attackers.account import account
from divulge.estimation.attackers.beliefs import every_belief, one_belief
from divulge.estimation.channels.channel_files import read_matrix, read_prior
from divulge.estimation.channels.memory import room_for_account
from divulge.estimation.scenarios.crowds import CorruptedCrowd, Crowd
from divulge.estimation.scenarios.hidden_senders import anonymity_entry, crowd_entry, link_degree, suspects
from divulge.estimation.scenarios.mixes import Mix, pool_mix, pool_mix_entropy, threshold_mix, timed_mix
from divulge.report.attacker.sender_rows import degree_rows, mix_rows
from divulge.table.codes import as_number

MESSAGES = "2.1 is the first message of round 2, 0.1 the first of the pool; inside: not sent yet."
MOST_USERS = 10


def run_crowds(asked: CrowdsRequest) -> None:
    crowd: Crowd | CorruptedCrowd = Crowd(asked.users, asked.submit)
    room_for_account(asked.users, asked.users)
    if asked.corrupted:
        crowd = CorruptedCrowd(asked.users, asked.corrupted, 1 - asked.submit)
    channel = crowd.channel()
    helped = f", {asked.corrupted} of them corrupted" if asked.corrupted else ""
    document = asked_account(
        asked,
        channel,
        name=f"a crowd of {asked.users}{helped}",
        secret="who started the message",
        observed=["who hands it to a corrupted user" if asked.corrupted else "who submits it"],
        belief=one_belief(channel, called="user"),
        crowd=crowd_entry(crowd, orders_of(asked.renyi)),
    )
    deliver_account(document, asked.report, asked.as_json)


def run_mix(asked: MixRequest) -> None:
    found, said = _mix(asked)
    figures = _figures(asked, found)
    if asked.report is not None:
        inside = sum(found.arrivals) + found.pool
        room_for_account(inside, inside)
        seen = account(
            found.channel,
            name=said,
            secret="its sender",
            observed=["when a message leaves"],
            belief=every_belief(found.channel, note=MESSAGES),
            mix=figures,
        )
        write_page(seen, asked.report)
    contents = {
        "messages": sum(found.arrivals),
        "batch": asked.batch,
        "pool": asked.pool,
        "period": asked.period,
        "rounds": sum(count > 0 for count in found.departures),
        **figures,
    }
    if asked.as_json:
        document: MixDocument = documents.headed("mix", contents)
        sys.stdout.write(written_json(document))
        return
    print(said)
    print(*aligned(["remaining uncertainty", ""], said_rows(mix_rows(figures)), right=(1,)), sep="\n")
    if asked.report is not None:
        print(f"\nReport: {asked.report}")


def _figures(asked: MixRequest, found: Mix) -> MixEntry:
    steady = asked.pool > 0 and asked.batch is not None
    return {
        "entropy": found.entropy,
        "error": found.privacy,
        "link_error": found.link_privacy,
        "degree": found.degree,
        "long_run_entropy": pool_mix_entropy(asked.batch or 1, asked.pool) if steady else None,
    }


def _mix(asked: MixRequest) -> tuple[Mix, str]:
    """The mix, and what it is called."""
    pool = f", with a pool of {asked.pool}" if asked.pool else ""
    if asked.times is not None:
        if asked.messages is not None or asked.batch is not None or asked.period is None:
            raise ParameterError("--times goes with --period, and without --messages and --batch.")
        times = [as_number(text) for text in observed_of(asked.times)]
        found = timed_mix(times, asked.period, asked.pool)
        rounds = f"a mix that sends at every multiple of {number(asked.period)}"
        return found, f"{counted(len(times), 'message')} through {rounds}{pool}"
    if asked.messages is None or asked.batch is None or asked.period is not None:
        raise ParameterError("Give --messages and --batch, or --times and --period.")
    said = f"{counted(asked.messages, 'message')} through a mix of threshold {asked.batch}{pool}"
    if not asked.pool:
        return threshold_mix(asked.messages, asked.batch), said
    if asked.messages % asked.batch:
        raise ParameterError("With a pool the messages must fill whole rounds of the threshold.")
    return pool_mix(asked.messages // asked.batch, asked.batch, asked.pool), said


def run_degrees(asked: DegreesRequest) -> None:
    if asked.posterior is None and asked.links is None:
        raise ParameterError("Give POSTERIOR.csv, --links, or both.")
    names, posterior = ([], None) if asked.posterior is None else read_prior(asked.posterior)
    links = None if asked.links is None else np.array(read_matrix(asked.links, "matrix of links")[2])
    orders = orders_of(asked.renyi)
    if orders and posterior is None:
        raise ParameterError("--renyi needs POSTERIOR.csv.")
    contents = {
        "anonymity": None if posterior is None else anonymity_entry(posterior, orders),
        "users": [] if posterior is None else suspects(names, posterior),
        "edman": None if links is None else link_degree(links),
    }
    document: DegreesDocument = documents.headed("degrees", contents)
    deliver_figures(document, _degree_lines(document), asked.report, asked.as_json)


def _degree_lines(found: DegreesDocument) -> list[str]:
    lines = aligned(["degree of anonymity", ""], said_rows(degree_rows(found)), right=(1,))
    if not found["users"]:
        return lines
    listed = found["users"][:MOST_USERS]
    users = [
        [one["user"], number(one["probability"]), number(one["not_the_sender"]), one["innocence"]]
        for one in listed
    ]
    more = len(found["users"]) - len(listed)
    head = ["user", "probability", "not the sender", "Reiter, Rubin"]
    return [
        *lines,
        "",
        *aligned(head, users, right=(1, 2)),
        *([f"  ... and {many(more)} more, with --json"] if more else []),
    ]
