"""A clock in seconds that stands still until a test moves it."""

from dataclasses import dataclass


@dataclass
class Clock:
    now_s: float = 0.0

    def __call__(self) -> float:
        return self.now_s
