"""What a comparison brought: findings, what was ignored, and what could not be seen."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from firnline_infra.drift.finding import Finding, Unseen
from firnline_infra.drift.ignore import Ignored, IgnoreList

NONE, BLIND, DRIFT = 0, 2, 3


@dataclass(frozen=True, kw_only=True)
class Report:
    environment: str
    findings: tuple[Finding, ...]
    ignored: tuple[Ignored, ...] = ()
    unseen: tuple[Unseen, ...] = ()
    notes: tuple[str, ...] = ()
    """For a person: what the comparison did beside reading, and entries that ignored nothing."""

    @classmethod
    def of(
        cls,
        environment: str,
        found: Iterable[Finding],
        unseen: Iterable[Unseen],
        *,
        ignoring: IgnoreList,
        notes: Iterable[str] = (),
    ) -> Self:
        """Two looks may see the same property: the first one counts."""
        by_key: dict[tuple[str, str], Finding] = {}
        for finding in found:
            by_key.setdefault(finding.key, finding)
        kept, ignored = ignoring.applied(sorted(by_key.values()))
        blind = tuple(sorted(unseen))
        idle = () if blind else ignoring.idle(ignored)  # what could not be seen may be what an entry is for
        return cls(
            environment=environment,
            findings=kept,
            ignored=ignored,
            unseen=blind,
            notes=(*notes, *idle),
        )

    @property
    def exit_status(self) -> int:
        """Never 0 where something could not be read, and never 3 as if all had been."""
        if self.unseen:
            return BLIND
        return DRIFT if self.findings else NONE

    def to_json(self) -> str:
        document: Mapping[str, Any] = {
            "version": 1,
            "environment": self.environment,
            "drift": [each.as_json() for each in self.findings],
            "ignored": [
                {**each.finding.as_json(), "reason": each.entry.reason, "until": each.entry.until.isoformat()}
                for each in self.ignored
            ],
            "unseen": [asdict(each) for each in self.unseen],
            "notes": list(self.notes),
            "exit_status": self.exit_status,
        }
        return json.dumps(document, indent=2)
