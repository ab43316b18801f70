import pytest

from bench.figure import Figure, at_least, at_most, percentile, slope


def figure(*values: float, **settings: object) -> Figure:
    return Figure(part="page", name="firnline", unit="ms", values=values, **settings)


def test_a_figure_is_the_median_of_its_runs_and_their_spread() -> None:
    assert figure(3.0, 9.0, 4.0).as_dict() | {"runs": []} == {
        "part": "page",
        "name": "firnline",
        "unit": "ms",
        "median": 4.0,
        "min": 3.0,
        "max": 9.0,
        "runs": [],
        "bar": None,
        "is_met": None,
    }


@pytest.mark.parametrize(
    ("bar", "is_met"), [(at_most(4), True), (at_most(3.9), False), (at_least(4), True), (at_least(4.1), False)]
)
def test_the_median_has_to_clear_the_bar_whatever_the_worst_run_did(bar: object, is_met: bool) -> None:
    assert figure(1.0, 4.0, 99.0, bar=bar).is_met is is_met


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (1, 1), (50, 50), (50.5, 51), (99, 99), (100, 100)])
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(percent: float, value: float) -> None:
    assert percentile([float(n) for n in range(100, 0, -1)], percent) == value


def test_growth_is_the_slope_of_the_line_through_all_points() -> None:
    assert slope([(0, 100), (1, 103), (2, 104), (3, 107)]) == pytest.approx(2.2)
