"""Errors of a comparison that is not begun, or whose answer would mean nothing.

DriftError
├── IgnoreListRefused   the list of what is ignored has entries that may not stand
├── PreviewUnreadable   Pulumi's answer has not the form that we know
└── OutOfSight          Snowflake shows nothing of an object: it is gone, or whoever compares may not see it
"""

from collections.abc import Sequence

from firnline_ingest.errors import Fatal, FirnlineError, declared


class DriftError(FirnlineError, Fatal):
    """An environment could not be compared with its specification."""

    id = "FL-5521"


@declared
class IgnoreListRefused(DriftError):
    """The list of what is ignored is not usable: an entry has no reason, has expired, or would hide too much."""

    source: str
    problems: Sequence[str]

    id = "FL-5522"
    message = "{source} can't be used:\n{problems:list}"
    causes = (
        "An entry of `<name>.drift.yaml`, or of `<name>.policy.yaml`, has no reason, has expired, lasts for more than a year, "
        "or would ignore "
        "everything. Nothing was compared"
    )
    remedy = "correct these entries, or take them out; docs/drift.md has the form. Nothing was compared."


@declared
class PreviewUnreadable(DriftError):
    """`pulumi preview --json` answered something else than its plan."""

    problem: str

    id = "FL-5523"
    message = "Pulumi's preview can't be read: {problem}"
    causes = "`pulumi preview --json` answered in a form that we do not know"
    remedy = "pulumi version has to be one that docs/deploy.md names; then the same command again."


@declared
class OutOfSight(DriftError):
    """Snowflake does not say whether an object is gone or only hidden; where Pulumi does not miss it, it is hidden."""

    object: str
    unseen: str = ""

    id = "FL-5524"
    message = "Snowflake {shown} of {object} to the role that compares."
    causes = "Snowflake hides an object from the role that compares; the status is 2"
    remedy = "compare in the role that deploys; the role of previews can't see everything."

    @property
    def shown(self) -> str:
        return f"does not show {self.unseen}" if self.unseen else "shows nothing"
