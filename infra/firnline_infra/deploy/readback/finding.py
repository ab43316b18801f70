"""One thing that is not as the blueprint says."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    object: str
    property: str
    expected: str
    found: str
    repair: str = ""
    """The statement that sets it back, where one does."""

    def __str__(self) -> str:
        return f"{self.object}: {self.property} is {self.found}, expected {self.expected}"
