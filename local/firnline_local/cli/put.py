"""`firnline local put`"""

from pathlib import Path

import click

from firnline_infra.cli.output import output_option
from firnline_infra.cli.put import files_argument, key_of, key_options, records_of, show_report, whole_option
from firnline_local.cli.options import folder_option


@click.command()
@click.argument("stream")
@files_argument
@key_options
@whole_option
@output_option()
@folder_option
def put(
    *,
    stream: str,
    files: tuple[Path, ...],
    key_fields: tuple[str, ...],
    delimiter: str,
    fixed_key: str | None,
    whole_files: bool,
    output: str,
    folder: Path,
) -> None:
    """Put the lines of files into a stream, one record each.

    Files may be gzipped. Lines are bytes: one that is not JSON becomes a record all the same, and it is the engine that
    has to deal with it. For any other stream there is firnline put, which knows more options.

    \b
    For example:
      firnline local put orders events.ndjson more.ndjson.gz --key customer_id
    """
    from firnline_local.running import RunningEnvironment

    environment = RunningEnvironment.attach(folder)
    events = records_of(files, whole_files=whole_files)
    key = key_of(key_fields, delimiter, fixed_key)
    show_report(environment.put_events(stream, events, key=key), output)
