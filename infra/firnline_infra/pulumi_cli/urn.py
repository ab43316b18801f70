"""Names of resources as the engine writes them: `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`."""

from dataclasses import dataclass
from typing import Self

STACK = "pulumi:pulumi:Stack"


@dataclass(frozen=True)
class Urn:
    text: str

    @classmethod
    def of_provider(cls, reference: str) -> Self:
        """A provider is referred to by its URN and its id: `URN::ID`."""
        return cls(reference.rpartition("::")[0])

    @property
    def type(self) -> str:
        """Of the resource itself, without those of its parents."""
        return self.text.split("::", 3)[2].rpartition("$")[2]

    @property
    def name(self) -> str:
        return self.text.split("::", 3)[3]

    def __str__(self) -> str:
        return self.text
