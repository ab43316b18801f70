"""`firnline dead-letters replay`"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from firnline_infra.cli.dead_letters import Damaged, choice_of, chosen
from firnline_infra.cli.engine_argument import ChosenEngine, engine_argument, require_one
from firnline_ingest.errors import FirnlineError
from firnline_ingest.terminal import end_at_once, in_a_line, printable

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig
    from firnline_ingest.dead_letters.replay import ReplayRequest
    from firnline_ingest.dead_letters.shard_replay import ReplayReport
    from firnline_ingest.values import ShardKey

SDK = "snowflake.ingest.streaming"
REFUSED = 2
HINTS = {
    "too-large": " (--by-file takes rows of up to 16,000,000 bytes, docs/files.md)",
    "the engine has not passed it yet, and may read it again": " (replay it once the engine has: if its shard has stopped, "
    "firnline status says why, and what to do next)",
    "replayed before, into a table that was recreated since": " (--again brings it into the one that is there now)",
    "the ledger does not know its shard": " (--forgotten-shards takes it)",
    "misplaced; its producer put it again": " (--reason misplaced takes it)",
    "the engine has read it again since, and may have made a row of it": " (a person resumed its shard from the horizon; if "
    "firnline audit does not find it doubled, --read-again takes it)",
}
"""By the reason for which a dead letter stays one."""
FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("replay")
@engine_argument
@click.option(
    "--dead-letters",
    "letters_in",
    type=FOLDER,
    help="Dead letters of this folder, in place of where the configuration has them.",
)
@chosen
@click.option(
    "--with",
    "repair",
    metavar="MODULE:FUNCTION",
    help="Takes a record's bytes, and returns those to take instead; None for a record that stays a dead letter.",
)
@click.option(
    "--from", "edited", type=FILE, help="Only the dead letters of this file, which export wrote, as they stand there."
)
@click.option(
    "--by-file", is_flag=True, help="Through a stage and a pipe (file_replay), also rows too large to be streamed."
)
@click.option(
    "--into-stream",
    is_flag=True,
    help="Put the records into the stream again, for a pipeline with a query: its rows are Spark's to make. At least once.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be replayed, and send nothing.")
@click.option(
    "--unfinished",
    type=click.Choice(["accept", "forget"]),
    help="Decide about replays that can't be finished (FL-4161): their rows are in the table, or none of them is.",
)
@click.option(
    "--again", is_flag=True, help="Dead letters, too, that were replayed into a table that was recreated since, empty."
)
@click.option(
    "--read-again",
    is_flag=True,
    help="Dead letters, too, of records that were read again from the horizon (resume), and may be rows since.",
)
@click.option(
    "--forgotten-shards", is_flag=True, help="Dead letters of shards, too, that the ledger has no row of any more."
)
def replay(
    *,
    engine: ChosenEngine,
    letters_in: Path | None,
    repair: str | None,
    edited: Path | None,
    by_file: bool,
    into_stream: bool,
    dry_run: bool,
    unfinished: str | None,
    again: bool,
    read_again: bool,
    forgotten_shards: bool,
    **choice: Any,
) -> None:
    """Send dead letters into the table that can be rows now, each once.

    By default a dead letter is converted as the configuration says today; with ENV that is the one that was deployed last.
    However often this is run, killed and run again, beside the engine or beside itself: a dead letter that was replayed is never
    sent again. Exit status: 0 each chosen dead letter is replayed, 1 some stay dead letters, could not be read, or were refused
    by the table, 2 refused.

    \b
    For example:
      firnline dead-letters replay dev --reason too-large --dry-run
      firnline dead-letters replay --config engine.json --with repairs:without_bom
    """
    from firnline_ingest.dead_letters.conversion import callable_of, edited_letters
    from firnline_ingest.dead_letters.journal import Outcome
    from firnline_ingest.dead_letters.replay import ReplayRequest

    if repair is not None and edited is not None:
        raise click.UsageError("give one of --with and --from")
    if into_stream and (by_file or again):
        raise click.UsageError("--into-stream fills no table; leave out --by-file and --again")
    decided = {"accept": Outcome.ACCEPTED, "forget": Outcome.VOID}
    request = ReplayRequest(
        choice=choice_of(**choice),
        repair=None if repair is None else callable_of(repair),
        edited=None if edited is None else edited_letters(edited),
        unfinished=None if unfinished is None else decided[unfinished],
        with_forgotten=forgotten_shards,
        again=again,
        read_again=read_again,
        only_look=dry_run,
        by_file=by_file,
    )
    config = _config_of(engine, letters_in, choice["stream"])
    (_put_into_stream if into_stream else _replay)(config, request)


def _config_of(engine: ChosenEngine, letters_in: Path | None, stream: str | None) -> "EngineConfig":
    from firnline_ingest.config.model import DeadLettersConfig

    require_one(engine)
    engine.check_stream(stream, "--stream")
    config = engine.config()
    if letters_in is None:
        return config
    return config.model_copy(update={"dead_letters": DeadLettersConfig(folder=letters_in)})


def _put_into_stream(config: "EngineConfig", request: "ReplayRequest") -> NoReturn:
    """Ends the command with its exit status."""
    from firnline_ingest.dead_letters.into_stream import put_into_stream

    damaged, would = Damaged(), "would be " if request.only_look else ""
    total = put_into_stream(
        config, request, lambda shard, report: click.echo(f"{shard}: {put_sentence(report, would)}"), damaged
    )
    click.echo(put_sentence(total, would))
    raise SystemExit(damaged.status or int(bool(total.remaining)))


def _replay(config: "EngineConfig", request: "ReplayRequest") -> NoReturn:
    """Ends the command with its exit status."""
    from firnline_ingest.dead_letters.replay import replay_letters

    damaged = Damaged()
    was_there = SDK in sys.modules  # who has loaded it ends as they will
    would = "would be " if request.only_look else ""
    hints = {**HINTS, "too-large": ""} if request.by_file else HINTS

    def tell(shard: "ShardKey", report: "ReplayReport") -> None:
        click.echo(f"{shard}: {sentence(report, would, hints)}")

    try:
        total = replay_letters(config, request, tell, damaged)
    except FirnlineError as error:
        if was_there or SDK not in sys.modules:
            raise
        click.echo(printable(str(error)), err=True)
        end_at_once(REFUSED)
    click.echo(sentence(total, would, hints))
    status = damaged.status or int(bool(total.remaining or total.rejected))
    if SDK in sys.modules and not was_there:
        end_at_once(status)
    raise SystemExit(status)


def put_sentence(report: "ReplayReport", would: str = "") -> str:
    """Describes what became of the dead letters whose records were to go into the stream again."""
    if report.failure:
        return f"not put to the end: {report.failure}"
    parts = [f"{report.letters:,} {would}put into the stream again"]
    if report.already:
        parts.append(f"{report.already:,} replayed before")
    parts += [
        f"{count:,} stay dead letters: {why}{HINTS.get(why, '')}" for why, count in sorted(report.remaining.items())
    ]
    return "; ".join(parts) + "."


def sentence(report: "ReplayReport", would: str = "", hints: Mapping[str, str] = HINTS) -> str:
    """Describes what became of the dead letters, and why some stay."""
    if report.failure:
        return f"not replayed to the end: {report.failure}"
    parts = [f"{report.letters:,} {would}replayed as {report.rows:,} rows"]
    if report.rejected:
        parts.append(f"{report.rejected:,} of these rows refused by the table ({in_a_line(report.rejection)})")
    if report.already:
        parts.append(f"{report.already:,} replayed before")
    parts += [
        f"{count:,} stay dead letters: {why}{hints.get(why, '')}" for why, count in sorted(report.remaining.items())
    ]
    return "; ".join(parts) + "."
