"""`firnline dead-letters`: what could not be ingested, why, and its exact bytes. replay.py replays it."""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.audit import Moment
from firnline_infra.cli.engine_argument import ChosenEngine, engine_argument, engine_options, require_one
from firnline_infra.cli.lazy_group import LazyGroup
from firnline_infra.cli.output import output_option, show
from firnline_ingest.terminal import in_a_line, printable, text_table

if TYPE_CHECKING:
    from datetime import datetime

    from firnline_ingest.config.model import EngineConfig
    from firnline_ingest.dead_letters import Choice, DeadLetter, DeadLetterReader
    from firnline_ingest.errors import DeadLetterError


Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


@click.group("dead-letters", cls=LazyGroup, at={"replay": "firnline_infra.cli.replay:replay"})
def dead_letters() -> None:
    """List, inspect and replay dead letters.

    The engine keeps them with their exact bytes, and goes on.
    """


def _place(engine: Decorator) -> Decorator:
    """The three ways to say where the dead letters are; a bucket is opened with the AWS credentials of the caller."""
    folder = click.Path(exists=True, file_okay=False, path_type=Path)
    option = click.option("--dead-letters", "letters_in", type=folder, help="Instead of ENV: a folder of this machine.")
    return lambda command: engine(option(command))


def chosen(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that choose dead letters; parameters `stream`, `shard`, `reasons`, `since` and `until`."""
    for option in (
        click.option("--until", type=Moment(), help="Written before this time, ISO 8601."),
        click.option("--since", type=Moment(), help="Written at this time or later, ISO 8601."),
        click.option("--reason", "reasons", multiple=True, help="With this reason; repeatable."),
        click.option("--shard", metavar="ID", help="Of this shard."),
        click.option("--stream", metavar="NAME", help="Of this stream."),
    ):
        command = option(command)
    return command


@dead_letters.command("list")
@_place(engine_argument)
@chosen
@output_option(text="One document for each dead letter.")
@click.option("--count", is_flag=True, help="Only how many there are, by stream, shard and reason.")
def list_letters(engine: ChosenEngine, letters_in: Path | None, output: str, count: bool, **choice: Any) -> None:
    """List the dead letters by stream, shard and position.

    Stream, shard and the time of writing are known from names: only the objects that they choose are read. A dead letter
    that can't be read is reported on stderr, and the others are listed. Exit status: 0, or 1 where one could not be read.
    """
    chosen = choice_of(**choice)
    store, where = _store(engine, letters_in, choice["stream"])
    damaged = Damaged()
    letters = store.list(chosen, damaged)
    if count:
        _count(letters, where, output)
        raise SystemExit(damaged.status)
    total, again = 0, _put_again(engine, letters_in)
    for letter in letters:
        is_again = again(letter)
        show(output, partial(_document, letter, is_again), partial(_entry, letter, is_again), is_one_of_many=True)
        total += 1
    if output == "table":
        click.echo(f"{total or 'No'} dead letter{'' if total == 1 else 's'} in {where}.")
    raise SystemExit(damaged.status)


@dead_letters.command("show")
@_place(engine_options)
@click.argument("named", nargs=-1, required=True, metavar="[ENV] KEY")
@click.option("--raw", is_flag=True, help="The record's bytes and nothing else, exactly as they were.")
@click.option("--hex", "as_hex", is_flag=True, help="The bytes as a dump in hexadecimal.")
def show_letter(engine: ChosenEngine, letters_in: Path | None, named: tuple[str, ...], raw: bool, as_hex: bool) -> None:
    """Show one dead letter, by the KEY that list prints.

    With ENV or --config it says what the record would be now, by the pipeline as it is configured today.
    """
    from firnline_ingest.dead_letters import DeadLetterKey

    engine, (key,) = engine.out_of(named, 1)
    store, _ = _store(engine, letters_in)
    letter = store.get(DeadLetterKey.parse(key))
    if raw:
        click.echo(letter.data, nl=False)
        return
    today = "" if letters_in else _today(engine.config(), letter)
    click.echo(_page(letter, today, dump(letter.data) if as_hex else _shown(letter.data)))


@dead_letters.command("export")
@_place(engine_argument)
@chosen
@click.option(
    "--letters",
    "into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="As dead letters into this folder, from which they can be replayed; those that it has stay as they are.",
)
@click.option(
    "--raw",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Each record's exact bytes as a file of its own in this folder, which has to be new or empty.",
)
def export_letters(
    engine: ChosenEngine, letters_in: Path | None, into: Path | None, raw: Path | None, **choice: Any
) -> None:
    """Write dead letters to standard output, one JSON document a line.

    A document is what the store keeps, with its key; bytes that are text are in "text", others in base64 in "data". Exit
    status: 0, or 1 where a dead letter could not be read.

    \b
    For example:
      firnline dead-letters export dev --reason not-json > letters.ndjson
    """
    from firnline_infra.cli.letter_files import exported, kept, raw_folder

    if into is not None and raw is not None:
        raise click.UsageError("give one of --letters and --raw")
    chosen = choice_of(**choice)
    store, _ = _store(engine, letters_in, choice["stream"])
    damaged = Damaged()
    letters = store.list(chosen, damaged)
    if raw is not None:
        with raw_folder(raw) as write:
            count = sum(write(letter) for letter in letters)
        click.echo(f"{count} records in {raw}.", err=True)
    elif into is not None:
        click.echo(f"{kept(letters, into)} new dead letters in {into}.", err=True)
    else:
        for letter in letters:
            click.echo(exported(letter))
    raise SystemExit(damaged.status)


class Damaged:
    """Reports on stderr of letters that can't be read, and remembers that there was one."""

    status = 0

    def __call__(self, error: "DeadLetterError") -> None:
        self.status = 1
        click.echo(str(error), err=True)


def choice_of(
    stream: str | None,
    shard: str | None,
    reasons: tuple[str, ...],
    *,
    since: "datetime | None" = None,
    until: "datetime | None" = None,
) -> "Choice":
    """Raises click.BadParameter for a reason that no dead letter has: "no dead letters" would be taken for an answer."""
    from firnline_ingest.dead_letters import REASONS, Choice
    from firnline_ingest.errors import did_you_mean

    for reason in reasons:
        if reason not in REASONS:
            hint = did_you_mean(reason, REASONS)
            raise click.BadParameter(f"{reason!r} is not a reason; {hint}", param_hint="'--reason'")
    return Choice(stream=stream, shard=shard, reasons=frozenset(reasons), since=since, until=until)


def _count(letters: "Iterator[DeadLetter]", where: str, output: str) -> None:
    counts = Counter((letter.stream, letter.shard_id, letter.reason) for letter in letters)
    columns = ("count", "stream", "shard", "reason")
    rows = [(number, *of) for of, number in sorted(counts.items())]
    show(
        output,
        lambda: [dict(zip(columns, row, strict=True)) for row in rows],
        lambda: (
            f"{text_table(columns, rows)}\n{counts.total():,} in {where}." if rows else f"No dead letters in {where}."
        ),
    )


def _today(engine: "EngineConfig", letter: "DeadLetter") -> str:
    """Returns what the record would be now."""
    from firnline_ingest.dead_letters.conversion import DeadLetterConverter
    from firnline_ingest.schemas import SchemaRegistries

    pipeline = engine.find_pipeline(letter.stream)
    if pipeline is None:
        return "no pipeline reads its stream"
    if pipeline.query is not None:
        return "what the pipeline's query makes of it, which Spark alone runs (replay --into-stream)"
    made = DeadLetterConverter(pipeline, letter.shard_id, SchemaRegistries(engine.aws)).make(letter)
    if made.why_not:
        return made.why_not
    return "a row" if len(made.rows) == 1 else f"{len(made.rows):,} rows"


def _store(engine: ChosenEngine, letters_in: Path | None, stream: str | None = None) -> "tuple[DeadLetterReader, str]":
    """The store, and where that is. Raises click.UsageError."""
    from firnline_ingest.dead_letters import LocalFolder, open_reader

    require_one(engine, {"--dead-letters": letters_in})
    engine.check_stream(stream, "--stream")
    if letters_in is not None:
        return LocalFolder(letters_in), str(letters_in)
    config = engine.config()
    place = config.dead_letters
    return open_reader(config), str(place.folder or place.s3 or place.stream)


def _put_again(engine: ChosenEngine, letters_in: Path | None) -> "Callable[[DeadLetter], bool]":
    """Returns what tells whether a replay has put a dead letter's record into the stream again; of a folder, nothing does."""
    if letters_in is not None:
        return lambda _: False
    from firnline_ingest.dead_letters import open_objects
    from firnline_ingest.dead_letters.into_stream import puts_of
    from firnline_ingest.values import ShardKey

    config, of_shard = engine.config(), dict[ShardKey, set[tuple[int, int]]]()
    if config.dead_letters.stream is not None:
        return lambda _: False

    def is_again(letter: "DeadLetter") -> bool:
        pipeline, key = config.find_pipeline(letter.stream), letter.key
        if pipeline is None or pipeline.query is None:
            return False
        shard = ShardKey(key.stream, key.stream_created_ms, key.shard_id)
        if shard not in of_shard:
            puts = puts_of(open_objects(config), config.application, shard)
            of_shard[shard] = {place for put in puts for place in put.places(are_in=True)}
        return (key.position.sequence_number, key.position.sub_sequence_number) in of_shard[shard]

    return is_again


def _document(letter: "DeadLetter", is_again: bool) -> dict[str, Any]:
    import msgspec

    document = {"key": str(letter.key), **msgspec.to_builtins(letter), "bytes": len(letter.data)}
    document |= {"put_again": True} if is_again else {}
    del document["data"]
    return document


def _entry(letter: "DeadLetter", is_again: bool) -> str:
    again = ", put into the stream again" if is_again else ""
    what = f"{letter.reason}, {len(letter.data)} bytes, arrived {_arrival(letter)}{again}"
    return f"{letter.key}\n    {what}: {in_a_line(letter.detail)}"


def _page(letter: "DeadLetter", today: str, shown: str) -> str:
    fields = {
        "key": letter.key,
        "stream": letter.stream,
        "shard": letter.shard_id,
        "sequence number": letter.sequence_number,
        "partition key": printable(letter.partition_key),
        "arrived": _arrival(letter),
        "reason": f"{letter.reason}: {in_a_line(letter.detail)}",
        **({"today": in_a_line(today)} if today else {}),
        "bytes": len(letter.data),
    }
    return "\n".join(f"{name:<16} {value}" for name, value in fields.items()) + f"\n\n{shown}"


def _arrival(letter: "DeadLetter") -> str:
    arrival = letter.approximate_arrival
    return arrival.isoformat(timespec="milliseconds").replace("+00:00", "Z") if arrival else "at an unknown time"


def dump(data: bytes) -> str:
    """Sixteen bytes a line, with their place."""
    lines = (data[start : start + 16] for start in range(0, len(data), 16))
    return "\n".join(
        f"{number * 16:08x}  {line.hex(' '):<47}  " + "".join(chr(one) if 32 <= one < 127 else "." for one in line)
        for number, line in enumerate(lines)
    )


def _shown(data: bytes) -> str:
    """Text as text; bytes and control characters as escapes, so that a payload can't steer a terminal."""
    return printable(data.decode(errors="backslashreplace"))
