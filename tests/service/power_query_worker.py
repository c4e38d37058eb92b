"""A process that answers queries, one by one, and notes the entries of what it has answered."""

import os
import random
import sys
from pathlib import Path

from divulge.service.operations.locations import ServiceLocations
from service.power_loss import ACKNOWLEDGED
from service.queries_scene import answering, ask, between


def main(root: Path, queries: int) -> None:
    drawn = random.Random(3)
    place = ServiceLocations(str(root / "service.db"), root / "keys", root / "checkpoints")
    with answering(place) as (decider, service):
        decider.database._writer.execute("PRAGMA wal_autocheckpoint = 100")  # several times in a short run
        acknowledged = os.open(root / ACKNOWLEDGED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for number in range(queries):
            low = drawn.randrange(20, 60)
            text = between(low, low + drawn.randrange(2, 30), drawn.choice("abc"))
            os.write(acknowledged, ask(service, text, f"key-{number}")["hash"].encode() + b"\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
