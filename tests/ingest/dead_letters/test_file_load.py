"""Files into a table by a model of Snowpipe: whatever is killed, lost, forgotten or late, no row is in twice."""

import itertools
import random
from collections.abc import Callable
from datetime import timedelta

import pytest

from firnline_ingest.dead_letters.file_errors import FileUnprovable, FileUnproven
from firnline_ingest.dead_letters.file_load import FileLoads, Load, Loading, most_telling
from tests.fakes.kills import Killed
from tests.fakes.snowpipe import BAD, BEGUN, Asker, Pipe

GOOD = b'{"a":1}'


def loads(asker: Asker, work: Callable[[], object] | None = None) -> FileLoads:
    """Time passes while it waits, and Snowflake works."""
    snowflake = asker.snowflake

    def sleep(seconds: float) -> None:
        snowflake.now += timedelta(seconds=seconds)
        (work or snowflake.work)()

    return FileLoads(asker, now=lambda: snowflake.now, sleep=sleep)


def load(asker: Asker, *rows: bytes, work: Callable[[], object] | None = None) -> Load:
    return loads(asker, work).load("letters/1.json.gz", rows or (GOOD, GOOD), begun=BEGUN)


def test_a_file_is_staged_submitted_waited_for_and_removed() -> None:
    asker = Asker(Pipe())
    assert load(asker) == Load(Loading.LOADED, 2)
    assert asker.calls == ["history", "put", "history", "submit", "report", "report", "remove"]
    assert (asker.snowflake.table, asker.snowflake.stage) == ([GOOD, GOOD], {})


def test_a_file_that_is_refused_is_in_no_part_and_can_never_come_in() -> None:
    asker = Asker(Pipe(forgets_failures=True))
    assert load(asker, GOOD, BAD).status is Loading.FAILED
    asker.snowflake.queue.append("letters/1.json.gz")
    asker.snowflake.work()
    assert (asker.snowflake.table, asker.snowflake.stage) == ([], {})


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("rows", [(GOOD, GOOD), (GOOD, BAD)])
@pytest.mark.parametrize(("number", "after"), list(itertools.product(range(7), (False, True))))
def test_whatever_call_a_kill_hits_the_next_run_finishes_it_once(
    number: int, after: bool, rows: tuple[bytes, ...], forgets: bool
) -> None:
    snowflake = Pipe(forgets)
    with pytest.raises(Killed):
        load(Asker(snowflake, kill=(number, after)), *rows)
    expected = Loading.LOADED if rows == (GOOD, GOOD) else Loading.FAILED
    assert load(Asker(snowflake), *rows).status is expected
    while snowflake.queue:
        snowflake.work()
    assert snowflake.table == (list(rows) if expected is Loading.LOADED else [])


@pytest.mark.parametrize("seed", range(60))
def test_any_schedule_of_kills_delays_and_forgetting_loads_each_row_once(seed: int) -> None:
    rng = random.Random(seed)
    snowflake = Pipe(forgets_failures=rng.random() < 0.5)
    rows = (GOOD, BAD) if rng.random() < 0.3 else (GOOD, GOOD)
    while True:
        kill = (rng.randrange(10), rng.random() < 0.5) if rng.random() < 0.8 else None
        asker = Asker(snowflake, kill=kill, scans=rng.randrange(4), is_mute=rng.random() < 0.4)
        try:
            outcome = load(asker, *rows, work=lambda: rng.random() < 0.4 and snowflake.work())
            break
        except FileUnproven:
            pass
        except FileUnprovable:
            outcome = None
            break
        except Killed:
            snowflake.now += rng.choice((timedelta(0), timedelta(minutes=20), timedelta(days=6)))
            for _ in range(rng.randrange(3)):
                snowflake.work()
    while snowflake.queue:
        snowflake.work()
    assert snowflake.table in ([], [GOOD, GOOD])
    if outcome is not None:
        assert bool(snowflake.table) is (outcome.status is Loading.LOADED)


def test_after_thirteen_days_nobody_guesses() -> None:
    snowflake = Pipe()
    with pytest.raises(Killed):
        load(Asker(snowflake, kill=(4, False)))
    snowflake.work()
    snowflake.now += timedelta(days=15)
    with pytest.raises(FileUnprovable, match="14 days"):
        load(Asker(snowflake))
    assert snowflake.table == [GOOD, GOOD]


def test_what_is_remembered_after_thirteen_days_is_taken() -> None:
    snowflake = Pipe()
    with pytest.raises(Killed):
        load(Asker(snowflake, kill=(4, False)))
    snowflake.now += timedelta(days=1)
    snowflake.work()
    snowflake.now += timedelta(days=12, hours=12)
    asker = Asker(snowflake)
    assert load(asker).status is Loading.LOADED
    assert asker.calls == ["history", "remove"]


def test_a_pipe_that_never_says_is_waited_for_a_quarter_of_an_hour() -> None:
    asker = Asker(Pipe())
    with pytest.raises(FileUnproven, match="15 minutes"):
        load(asker, work=lambda: None)
    assert asker.calls.count("scan") == 15
    assert "letters/1.json.gz" in asker.snowflake.stage


@pytest.mark.parametrize("scans", [0, 100])
def test_where_the_report_is_silent_the_histories_tell(scans: int) -> None:
    asker = Asker(Pipe(), is_mute=True, scans=scans)
    assert load(asker).status is Loading.LOADED
    assert asker.calls[5:] == ["report", "scan", *(["history"] if not scans else []), "remove"]


@pytest.mark.parametrize("told", [Load(Loading.PARTLY, 1, "bad row"), Load(Loading.LOADED, 1)])
def test_a_file_that_is_not_in_whole_is_a_persons_to_decide(told: Load) -> None:
    asker = Asker(Pipe())
    asker.snowflake.loads.append(("letters/1.json.gz", BEGUN, told))
    with pytest.raises(FileUnprovable, match="1 of 2 rows"):
        load(asker)


def test_a_second_submission_that_fails_says_nothing_of_the_first() -> None:
    loaded, failed = Load(Loading.LOADED, 2), Load(Loading.FAILED)
    assert most_telling([loaded, failed]) == loaded
    assert most_telling([failed, Load(Loading.RUNNING)]) == Load(Loading.RUNNING)
    assert most_telling([]) is None
