"""The engine's driver as a process of its own, with a stand-in for Spark: what is frozen and thawed in test_two_engines.py."""

import sys
import time

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.logs import configure_logs
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.spark import job
from tests.ingest.spark.standing_in import StandIn, config, receipt

EPOCH_S = 0.2


def main(endpoint: str, beat_s: str) -> int:
    configure_logs()
    job.BEAT_S = float(beat_s)
    aws = {"region": "us-east-1", "endpoints": {"dynamodb": endpoint}}
    ledger = open_ledger(config(aws=aws, ledger={"table": "ledger", "create": True}))
    try:
        return StandIn(epoch).job(ledger, aws=aws).run()
    except FirnlineError as error:
        print(error, file=sys.stderr)
        return 2


def epoch(number: int) -> list[Receipt]:
    time.sleep(EPOCH_S)
    return [receipt(fingerprint=f"SHA256:{number}")]


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
