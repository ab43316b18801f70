"""The canned Kinesis as a process: says where it listens in one line of JSON, ends with its parent."""

import time

import click

from bench.kinesis.service import CannedKinesis
from bench.kinesis.shard import CannedShard
from bench.listen import serve
from bench.payload import payloads
from firnline_local.exit_with_parent import exit_when_stdin_ends


@click.command()
@click.option("--shards", type=int, required=True)
@click.option("--records-per-s", type=float, required=True, help="Of one shard.")
@click.option("--trickle/--full", required=True, help="Records arrive as time goes by, or are all there.")
def main(*, shards: int, records_per_s: float, trickle: bool) -> None:
    """Serve one stream, whatever its name, on 127.0.0.1 until stdin ends, or a signal comes."""
    exit_when_stdin_ends()
    texts = payloads()
    began_s = time.time() if trickle else time.time() - 3600
    canned = [
        CannedShard.of(texts, index=index, first_arrival_s=began_s, records_per_s=records_per_s, is_trickle=trickle)
        for index in range(shards)
    ]
    serve(CannedKinesis(canned).reply, first_arrival_s=str(began_s))


if __name__ == "__main__":
    main()
