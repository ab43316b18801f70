"""Why a comparison is not begun, or why its answer would mean nothing.

DriftError
├── IgnoreListRefused   the list of what is ignored has entries that may not stand
└── PreviewUnreadable   Pulumi's answer has not the form that we know
"""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError


class DriftError(FirnlineError, Fatal):
    """An environment could not be compared with its specification."""

    id = "FL-5521"


class IgnoreListRefused(DriftError):
    """The list of what is ignored is not usable: an entry has no reason, has expired, or would hide too much."""

    id = "FL-5522"

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(
            f"{source} can't be used:\n" + "\n".join(f"  - {problem}" for problem in problems),
            next_step="correct these entries, or take them out; docs/drift.md has the form. Nothing was compared.",
        )


class PreviewUnreadable(DriftError):
    """`pulumi preview --json` answered something else than its plan."""

    id = "FL-5523"

    def __init__(self, problem: str) -> None:
        super().__init__(
            f"Pulumi's preview can't be read: {problem}",
            next_step="pulumi version has to be one that docs/deploy.md names; then the same command again.",
        )
