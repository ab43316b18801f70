"""`firnline local put`"""

from pathlib import Path

import click

from firnline_local.cli.options import folder_option


@click.command()
@click.argument("stream")
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
@click.option(
    "--key", metavar="FIELD", help="The first-level field whose value is the partition key; else events are spread."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document instead of a sentence.")
@folder_option
def put(stream: str, files: tuple[Path, ...], key: str | None, as_json: bool, folder: Path) -> None:
    """Put the lines of files into a stream, one record each.

    Files may be gzipped. Lines are bytes: one that is no JSON becomes a record all the same, and it is the engine that
    has to deal with it.

    \b
    For example:
      firnline local put orders events.ndjson more.ndjson.gz --key customer_id
    """
    import json
    from dataclasses import asdict
    from itertools import chain

    from firnline_local.event_file import events_of
    from firnline_local.producer import by_field
    from firnline_local.running import RunningEnvironment

    environment = RunningEnvironment.attach(folder)
    events = chain.from_iterable(events_of(file) for file in files)
    report = environment.put_events(stream, events, key=by_field(key) if key else None)
    if as_json:
        click.echo(json.dumps(asdict(report)))
        return
    again = f", {report.retried:,} of them more than once" if report.retried else ""
    click.echo(
        f"{stream}: {report.records:,} records{again}, {report.size_bytes / 1e6:,.1f} MB "
        f"in {report.seconds:.1f} s ({report.megabytes_per_second:.1f} MB/s)"
    )
