"""What a document was made with, as a page says it: when, by which command, policy, seed and version."""

from __future__ import annotations

from divulge.report.shared.tables import Document


def made_with(document: Document) -> list[tuple[str, str]]:
    """The facts that someone needs who wants to make the same document again, tables apart."""
    made, policy = document.get("provenance") or {}, document["policy"]
    found = [
        ("Date (UTC)", made.get("date")),
        ("Command", made.get("command")),
        ("Policy", policy["name"] if policy else "none"),
        ("Digest of the policy", policy["digest"] if policy else None),
        ("Values of records", "shown" if document["shows_values"] else "not shown"),
        ("Seed", str(document["seed"]) if "seed" in document else None),
        ("divulge", document["divulge"]),
        ("Version of the document", str(document["version"])),
    ]
    return [(name, value) for name, value in found if value is not None]
