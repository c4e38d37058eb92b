"""Attributes without a role, which go out as they are: what is known of each, and whether it is a risk."""

from __future__ import annotations

from collections.abc import Iterator

from divulge.assessment.checks.gaps.free_text import unread_texts
from divulge.assessment.checks.gaps.overlooked import overlooked_attributes
from divulge.assessment.naming import Naming, namings
from divulge.assessment.scope import Scope
from divulge.documents.making.exploration import AsItIsEntry
from divulge.explore.scene import Scene
from divulge.table.schema import Role

UNSEEN = "not measured, since it has no role"
TEXT = "it is free text, in which names are not looked for"


def released_as_is(scene: Scene) -> list[AsItIsEntry]:
    """Every attribute without a role that the policy does not allow, those that are a risk first."""
    if "as it is" not in scene.memo:
        scene.memo["as it is"] = sorted(_entries(scene), key=lambda one: not one["risk"])
    found: list[AsItIsEntry] = scene.memo["as it is"]
    return found


def _entries(scene: Scene) -> Iterator[AsItIsEntry]:
    data, policy = scene.data, scene.policy
    others = [
        name
        for name in data.released_attributes
        if data.schema.role(name) is Role.OTHER and name not in policy.demands.allowed
    ]
    if not others:
        return
    named = {one.attribute: one for one in namings(data, policy.attributes)}
    texts = unread_texts(policy.demands, data)
    looked = {
        name: one.reason
        for one in overlooked_attributes(policy.demands, Scope(data, policy.partitions), policy.attributes)
        for name in one.attributes
    }
    for name in others:
        if name in named:
            fails = named[name].outcome == "fail" and policy.demands.identifiers == "fail"
            yield AsItIsEntry(attribute=name, about=_said(named[name]), risk=True, names=fails)
        elif name in texts:
            yield AsItIsEntry(attribute=name, about=TEXT, risk=True, names=False)
        else:
            about = looked.get(name, UNSEEN)
            yield AsItIsEntry(attribute=name, about=about, risk=name in looked, names=False)


def _said(found: Naming) -> str:
    """What is known of an attribute that names people, or may."""
    if found.contains:
        return f"it contains {found.contains}"
    if found.names:
        return "it names people"
    if found.keys:
        return "it is the number of a record, a person or a household, which links releases"
    return "it differs in nearly every record" if found.differs else "it may name people"
