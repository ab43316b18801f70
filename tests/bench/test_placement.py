from bench import placement


def test_the_bars_are_met() -> None:
    split, loss = placement.figures()
    assert (split.is_met, loss.is_met) == (True, True)
    assert len(split.values) == 10
    assert len(loss.values) == placement.EXECUTORS
