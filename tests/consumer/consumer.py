"""Code as a user writes it, for a type checker; ``reveal_type`` lines are compared with the words after #."""

from typing import reveal_type

import divulge as dv


def use() -> None:
    data = dv.read("people.csv", quasi_identifiers="age", sensitive="ill")
    reveal_type(data)  # Data
    reading = dv.measure(data, "discrimination_rate", keys="age", target="ill")
    reveal_type(reading)  # Reading
    reveal_type(reading.value)  # float | None
    readings = dv.measure(data, keys="age")
    reveal_type(readings)  # Readings
    reveal_type(dv.measure(data, ["itpr"], keys="age"))  # Readings
    reveal_type(readings["itpr"])  # Reading
    reveal_type(readings[:2])  # tuple[Reading, ...]
    reveal_type(readings.to_dict()["readings"][0]["value"])  # float | None
    audit = dv.audit(data)
    reveal_type(audit)  # Assessment
    reveal_type(dv.audit("people.csv", quasi_identifiers=["age"], sensitive="ill"))  # Assessment
    reveal_type(dv.measure("people.csv", "itpr", quasi_identifiers="age"))  # Reading
    reveal_type(audit.to_dict()["verdict"]["outcome"])  # Literal['pass'] | Literal['warn']
    reveal_type(audit.to_dict()["checks"][0]["records"])  # int | str | None
    reveal_type(audit.plot("attributes"))  # Plot
    comparison = dv.compare("people.csv", {"k5": "released.csv"}, sensitive="ill", separator=";")
    reveal_type(comparison.to_dict()["releases"][0]["score"]["risk"])  # float | None
    reveal_type(dv.attacks.homogeneity(data))  # Outcome
    reveal_type(dv.roles.propose(data))  # tuple[Proposed, ...]
    reveal_type(dv.safe_release.Rules.of(["mis"], 0.1))  # Rules
    reveal_type(dv.channels.Channel.read("channel.csv"))  # Channel
    reveal_type(dv.documents.schema("audit"))  # dict[str, Any]

    dv.audit("people.csv", sensitiv="ill")  # error: Unexpected keyword argument "sensitiv"
    dv.compare(data, "released.csv", missing="never")  # error: incompatible type "Literal['never']"
    print(dv.anonymize)  # error: has no attribute "anonymize"
    print(audit.to_dict()["verdikt"])  # error: has no key "verdikt"
    dv.measure(data, 3, keys="age")  # error: No overload variant
