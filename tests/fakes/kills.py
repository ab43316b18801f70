"""A process that is killed in the middle of something: an observer of a shard's steps that ends whoever comes to one."""

from collections.abc import Callable

from firnline_ingest.shard.steps import EpochStep


class Killed(BaseException):
    """The process is gone."""


def dies_at(
    step: EpochStep | None = None, times: int = 1, when: Callable[[], object] = lambda: True
) -> Callable[[EpochStep, object], None]:
    """Once it has come to the step so often while `when` was true; to any step, where none is named."""
    left = [times]

    def die(reached: EpochStep, _key: object) -> None:
        if step in (None, reached) and when():
            left[0] -= 1
            if left[0] == 0:
                raise Killed

    return die
