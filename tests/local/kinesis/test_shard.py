from hypothesis import given
from hypothesis import strategies as st

from firnline_local.kinesis.shard import RecordLog

records = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=30)  # ms since the one before, size


def filled(records: list[tuple[int, int]]) -> tuple[RecordLog, list[int], list[int]]:
    """A log, and when each of its records arrived and how large it is."""
    log, arrivals, now_ms = RecordLog(), [], 0
    for number, (later_ms, size) in enumerate(records, start=1):
        now_ms += later_ms
        arrivals.append(now_ms)
        assert log.next == number
        log.append(b"%d" % number, arrived_ms=now_ms, size_bytes=size)
    return log, arrivals, [size for _, size in records]


@given(records, st.integers(0, 60))
def test_trimming_forgets_what_arrived_earlier_and_nothing_else(records: list[tuple[int, int]], before_ms: int) -> None:
    log, arrivals, sizes = filled(records)
    log.trim(before_ms)
    kept = [index for index, arrived_ms in enumerate(arrivals, start=1) if arrived_ms >= before_ms]
    assert log.all() == [b"%d" % index for index in kept]
    assert (log.first, log.next) == (kept[0] if kept else len(records) + 1, len(records) + 1)
    assert log.size_bytes == sum(sizes[index - 1] for index in kept)


@given(records, st.integers(0, 20), st.integers(0, 12), st.integers(1, 20), st.integers(0, 40))
def test_a_page_is_the_longest_run_that_fits_and_never_stands_still(
    records: list[tuple[int, int]], before_ms: int, start: int, limit: int, max_bytes: int
) -> None:
    log, _, sizes = filled(records)
    log.trim(before_ms)
    page = log.page(start, limit=limit, max_bytes=max_bytes)
    begin = max(start, log.first)
    expected: list[int] = []
    for index in range(begin, log.next):
        size = sum(sizes[i - 1] for i in [*expected, index])
        if len(expected) == limit or (expected and size > max_bytes):
            break
        expected.append(index)
    assert page.records == [b"%d" % index for index in expected]
    assert page.end == begin + len(expected)
    assert page.size_bytes == sum(sizes[index - 1] for index in expected)


@given(records, st.integers(0, 60), st.integers(0, 100))
def test_a_time_leads_to_the_first_record_that_arrived_then_or_later(
    records: list[tuple[int, int]], before_ms: int, at_ms: int
) -> None:
    log, arrivals, _ = filled(records)
    log.trim(before_ms)
    later = [index for index in range(log.first, log.next) if arrivals[index - 1] >= at_ms]
    assert log.index_at(at_ms) == (later[0] if later else log.next)
    assert all(log.arrived_ms(index) == arrivals[index - 1] for index in later)
