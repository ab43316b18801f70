"""`firnline put`"""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.finite_range import FiniteRange
from firnline_infra.cli.output import output_option, show

if TYPE_CHECKING:
    from firnline_ingest.sink import PartitionKey, SinkReport

files_argument = click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False, allow_dash=True),
)
"""`-` is standard input."""


whole_option = click.option(
    "--whole-files", is_flag=True, help="Each file is one record, as it is, such as an object container of Avro."
)


def records_of(files: Iterable[Path], *, whole_files: bool) -> Iterator[bytes]:
    """The records of the files, in their order. Raises LinesUnreadable."""
    from firnline_ingest.sink.lines import lines_of, whole

    return chain.from_iterable(map(whole if whole_files else lines_of, files))


def key_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options for a record's partition key: parameters `key_fields`, `delimiter` and `fixed_key`."""
    fields = click.option(
        "--key",
        "key_fields",
        metavar="FIELD",
        multiple=True,
        help="A first-level field whose value is the partition key; several are joined. Else records are spread.",
    )
    delimiter = click.option(
        "--delimiter", default="|", show_default=True, metavar="TEXT", help="Between several fields."
    )
    one = click.option(
        "--fixed-key", metavar="TEXT", help="This partition key for every record: all go into one shard."
    )
    return fields(delimiter(one(command)))


@click.command()
@click.argument("stream")
@files_argument
@key_options
@whole_option
@click.option(
    "--ordered", is_flag=True, help="Records of one partition key in the order of the files; few keys are slow."
)
@click.option(
    "--fail-on-error", is_flag=True, help="End with the first record that is refused, and don't put it again."
)
@click.option(
    "--attempts",
    type=click.IntRange(min=1),
    metavar="N",
    help="Requests in a row that may get nothing in; 10 by default.",
)
@click.option("--batch-records", type=click.IntRange(1, 500), metavar="N", help="Records of a request; 500 by default.")
@click.option(
    "--batch-bytes", type=click.IntRange(1, 10_485_760), metavar="N", help="Bytes of a request; 5242880 by default."
)
@click.option(
    "--in-flight", type=click.IntRange(1, 1_000), metavar="N", help="Requests under way at once; 16 by default."
)
@click.option(
    "--buffered-records", type=click.IntRange(min=1), metavar="N", help="Records read ahead; 10000 by default."
)
@click.option(
    "--linger",
    "linger_s",
    type=FiniteRange(0, 3_600),
    metavar="S",
    help="How long a record waits for a full request; 5 by default.",
)
@click.option(
    "--read-timeout",
    "read_timeout_s",
    type=FiniteRange(0.1, 3_600),
    metavar="S",
    help="How long an answer is waited for; 60 by default.",
)
@click.option("--region", metavar="NAME", help="The stream's region; else the profile's, or AWS_REGION.")
@click.option("--profile", metavar="NAME", help="A profile of this machine's AWS configuration.")
@click.option("--endpoint", metavar="URL", help="Another endpoint of Kinesis: a private one, or an emulator's.")
@click.option("--local", is_flag=True, hidden=True, help="Refused: `firnline local put` does that.")
@output_option()
def put(
    *,
    stream: str,
    files: tuple[Path, ...],
    key_fields: tuple[str, ...],
    delimiter: str,
    fixed_key: str | None,
    region: str | None,
    profile: str | None,
    endpoint: str | None,
    whole_files: bool,
    local: bool,
    output: str,
    **options: Any,
) -> None:
    """Put lines of files into a stream.

    Files may be gzipped, and - is standard input, which may not. Lines are bytes: one that is not JSON becomes a record all the
    same. Each is acknowledged before this ends with status 0; what ends with 2 says how many are in. A record is put at least
    once: an answer that was lost may leave it there twice.

    \b
    For example:
      firnline put orders events.ndjson more.ndjson.gz --key customer_id
      tail -f app.log | firnline put logs - --linger 1
    """
    from firnline_ingest.config.document import parse
    from firnline_ingest.config.model import AwsConfig
    from firnline_ingest.sink import SinkOptions, put_all
    from firnline_ingest.sink.client import region_of, sink_client

    if local:
        raise click.UsageError(
            "for the embedded environment there is a command of its own: firnline local put STREAM FILE..."
        )
    chosen = SinkOptions(**{name: value for name, value in options.items() if value is not None})
    endpoints = {"kinesis": endpoint} if endpoint else {}
    credentials = {"profile": {"name": profile}} if profile else {}
    document = {"region": region or region_of(profile), "credentials": credentials, "endpoints": endpoints}
    aws = parse(AwsConfig, document, "the command line")
    try:
        client = sink_client(aws, chosen)
    except ValueError as error:  # botocore's, of a region or an endpoint that is none
        raise click.UsageError(f"{str(error).rstrip('.')}; an endpoint begins with https:// or http://") from error
    records = records_of(files, whole_files=whole_files)
    report = put_all(client, stream, records, chosen, key=key_of(key_fields, delimiter, fixed_key))
    show_report(report, output)


def key_of(fields: tuple[str, ...], delimiter: str, fixed_key: str | None) -> "PartitionKey":
    from firnline_ingest.sink import by_fields, by_number, fixed

    if fields and fixed_key is not None:
        raise click.UsageError("give one of --key and --fixed-key")
    if fixed_key is not None:
        return fixed(fixed_key)
    return by_fields(*fields, delimiter=delimiter) if fields else by_number


def show_report(report: "SinkReport", output: str) -> None:
    from dataclasses import asdict

    again = f", {report.retried:,} of them more than once" if report.retried else ""
    text = (
        f"{report.stream}: {report.records:,} records{again}, {report.size_bytes / 1e6:,.1f} MB "
        f"in {report.seconds:.1f} s ({report.megabytes_per_second:.1f} MB/s)"
    )
    show(output, lambda: asdict(report), lambda: text)
