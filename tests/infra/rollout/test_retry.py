import pytest

from firnline_infra.rollout.retry import TIMEOUT_S, RetryBudget
from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable


class Service:
    def __init__(self, *answers: Exception | str) -> None:
        self.answers = list(answers)
        self.now_s = 0.0
        self.name = "service"

    def ask(self, what: str) -> str:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return f"{what}: {answer}"

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    @property
    def budget(self) -> RetryBudget:
        return RetryBudget(self.sleep, lambda: self.now_s)


PASSING, REFUSAL = RuntimeUnavailable("a", "b", "slow down"), RuntimeRefused("a", "b", "no")


def test_what_is_transient_is_asked_again() -> None:
    service = Service(PASSING, PASSING, "yes")
    assert service.budget.with_(service).ask("runs?") == "runs?: yes"
    assert service.now_s > 0


def test_a_refusal_is_one_at_once() -> None:
    service = Service(REFUSAL)
    with pytest.raises(RuntimeRefused):
        service.budget.with_(service).ask("runs?")
    assert service.now_s == 0


def test_a_budget_ends() -> None:
    service = Service(PASSING)
    with pytest.raises(RuntimeUnavailable):
        service.budget.with_(service).ask("runs?")
    assert TIMEOUT_S < service.now_s < TIMEOUT_S + 10


def test_what_must_not_be_repeated_is_not_and_what_is_no_call_is_itself() -> None:
    service = Service(PASSING)
    patient = service.budget.with_(service, but={"ask"})
    with pytest.raises(RuntimeUnavailable):
        patient.ask("start!")
    assert (service.now_s, patient.name) == (0, "service")
