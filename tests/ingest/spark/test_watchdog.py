from firnline_ingest.spark.watchdog import GRACE_S, LONGEST_STEP_S, OVERDUE, STUCK_S, EpochPace, EpochWatch

LENGTH_S = 30.0
LATE_S = LENGTH_S + GRACE_S


class Watched:
    def __init__(self) -> None:
        self.now = 1000.0
        self.watch = EpochWatch(LENGTH_S, lambda: self.now)

    def until(self, seconds: float) -> list[EpochPace]:
        """Returns what was seen on the way there that is worth a word, with a look a second."""
        seen = []
        while self.watch.lasted_s < seconds:
            self.now += 1.0
            seen.append(self.watch.look())
        return [verdict for verdict in seen if verdict is not EpochPace.FINE]


def test_an_epoch_that_ends_in_time_is_fine() -> None:
    watched = Watched()
    watched.watch.began(1)
    assert watched.until(LATE_S - 1) == []
    watched.watch.ended()
    watched.now += 10_000.0
    assert watched.watch.look() is EpochPace.FINE


def test_one_that_does_not_is_told_once_a_minute_cancelled_once_and_then_given_up() -> None:
    watched = Watched()
    watched.watch.began(1)
    told = watched.until(OVERDUE * LATE_S)
    assert told[:-1] == [EpochPace.LATE] * len(told[:-1])
    assert len(told[:-1]) == (OVERDUE - 1) * LATE_S // 60
    assert told[-1] is EpochPace.OVERDUE
    assert watched.until(OVERDUE * LATE_S + STUCK_S) == [EpochPace.STUCK]


def test_hours_in_which_the_driver_was_frozen_do_not_count() -> None:
    watched = Watched()
    watched.watch.began(1)
    watched.until(20)
    watched.now += 5 * 3600.0
    assert watched.watch.look() is EpochPace.FINE
    assert watched.watch.lasted_s <= 20 + LONGEST_STEP_S


def test_the_next_epoch_begins_anew() -> None:
    watched = Watched()
    watched.watch.began(1)
    watched.until(OVERDUE * LATE_S)
    watched.watch.ended()
    watched.watch.began(2)
    assert watched.watch.is_cancelled is False
    assert watched.until(LATE_S - 1) == []
