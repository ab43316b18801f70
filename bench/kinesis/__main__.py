"""The canned Kinesis as a process: says where it listens in one line of JSON, ends with its parent."""

import ssl
import time
from dataclasses import replace
from pathlib import Path

import click

from bench.kinesis.service import CannedKinesis
from bench.kinesis.shard import CannedShard
from bench.listen import serve
from bench.payload import SIZE_BYTES, stream_payloads
from firnline_local.exit_with_parent import exit_when_stdin_ends


@click.command()
@click.option("--shards", type=int, required=True)
@click.option("--records-per-s", type=float, required=True, help="Of one shard.")
@click.option("--trickle/--full", required=True, help="Records arrive as time goes by, or are all there.")
@click.option("--hot", type=int, default=0, help="How many shards are full although the others trickle.")
@click.option("--record-bytes", type=int, default=SIZE_BYTES)
@click.option("--certificate", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--key", type=click.Path(exists=True, path_type=Path), required=True)
def main(
    *,
    shards: int,
    records_per_s: float,
    trickle: bool,
    hot: int,
    record_bytes: int,
    certificate: Path,
    key: Path,
) -> None:
    """Serve one stream, whatever its name, by TLS on 127.0.0.1 until stdin ends, or a signal comes."""
    exit_when_stdin_ends()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    texts = stream_payloads(record_bytes)
    began_s = time.time() if trickle else time.time() - 3600
    first = CannedShard.of(texts, index=0, first_arrival_s=began_s, records_per_s=records_per_s, is_trickle=trickle)
    canned = [replace(first, index=index, is_trickle=trickle and index >= hot) for index in range(shards)]
    serve(CannedKinesis(canned, record_bytes=record_bytes).reply, context, first_arrival_s=str(began_s))


if __name__ == "__main__":
    main()
