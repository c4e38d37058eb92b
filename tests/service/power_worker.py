"""A process that answers requests, one by one and in batches, and notes which it has answered."""

import os
import random
import sys
from pathlib import Path

from divulge.service.decisions.decisions import RecordRequest
from divulge.service.operations.locations import ServiceLocations
from service.power_loss import ACKNOWLEDGED
from service.scene import NAME


def main(root: Path, requests: int) -> None:
    drawn = random.Random(3)
    decider = ServiceLocations(str(root / "service.db"), root / "keys", root / "checkpoints").open()
    decider.database._writer.execute("PRAGMA wal_autocheckpoint = 100")  # several times in a short run
    acknowledged = os.open(root / ACKNOWLEDGED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    done = 0
    while done < requests:
        asked = [
            RecordRequest(f"p{drawn.randrange(300)}", f"key-{done + more}")
            for more in range(drawn.choice((1, 1, 8)))
        ]
        decider.batch(NAME, asked, "client")
        os.write(acknowledged, " ".join(one.key for one in asked).encode() + b"\n")
        done += len(asked)
    decider.database.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
