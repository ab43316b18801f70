"""Errors between us and Redshift.

RedshiftError
├── RedshiftStatementFailed  the database refused a statement, or did not end it in time
├── StreamRoleNotAttached    Redshift may not be the role that reads the streams
├── CaseSensitivityOff       a stream has capitals, and the database makes small letters of them
├── ViewAbsent               a view that is adopted, or asked for, is not there
└── ViewsOutOfSight          the user who looks is not shown the views of another
"""

import re
from collections.abc import Collection, Iterable

from firnline_ingest.errors import Fatal, FirnlineError, declared

DENIED, NOT_OURS = "permission denied", "must be owner"
NO_ROLE = re.compile(r'role "(?P<name>[^"]+)" does not exist')


class RedshiftError(FirnlineError, Fatal):
    """Redshift can't be brought to what the specification says."""

    id = "FL-7200"


class RedshiftStatementFailed(RedshiftError):
    """The database refused a statement."""

    id = "FL-7201"
    causes = "Redshift's database refused a statement of ours, or did not end it in time"
    remedy = "what it says; if a permission is denied, its owner grants it to the database user of who deploys"

    def __init__(self, sql: str, said: str, *, grants: Iterable[str] = ()) -> None:
        self.said = said
        step = "correct what it names"
        if DENIED in said:
            # Who may use a schema may not pass that on.
            step = "have an administrator of the database run: " + (
                sql if sql.startswith("GRANT") else "; ".join(grants)
            )
        elif role := NO_ROLE.search(said):
            step = f'correct `readers`, or have an administrator of the database run: CREATE ROLE "{role["name"]}"'
        elif NOT_OURS in said:
            step = "it is another user's, whom firnline drift names; have that one or an administrator give it away"
        super().__init__(
            f"Redshift refused {sql!r}: {said}", next_step=f"{step}. Objects that were created before it stay."
        )


@declared
class StreamRoleNotAttached(RedshiftError):
    """The role that reads the streams is not among those that Redshift may be."""

    role_arn: str
    place: str
    command: str

    id = "FL-7202"
    message = "{place} may not be {role_arn}, as which it would read the streams."
    next_step = "have its owner run: {command}; then this again. Nothing was created in the database."
    causes = "An adopted workgroup or cluster may not be the role that reads the streams: its owner attaches it"
    remedy = "the command in the message, run by the owner of the workgroup or cluster"


@declared
class CaseSensitivityOff(RedshiftError):
    """enable_case_sensitive_identifier is off where a stream's name has capitals."""

    place: str

    id = "FL-7203"
    message = (
        "enable_case_sensitive_identifier is off in {place}, and the specification sets redshift.case_sensitive: true."
    )
    causes = "enable_case_sensitive_identifier is off in the database, and a stream of a view has capitals in its name"
    remedy = (
        "turn it on (aws redshift-serverless update-workgroup --config-parameters "
        "parameterKey=enable_case_sensitive_identifier,parameterValue=true; of a cluster, in its parameter group): "
        "every name between quotes is case-sensitive from then on. Nothing was created in the database."
    )


@declared
class ViewAbsent(RedshiftError):
    """A view is not there."""

    name: str
    known: Collection[str]

    id = "FL-7204"
    message = "There is no materialized view {name}."
    next_step = "name one of {names}, or make it: firnline redshift apply"
    causes = "A view that the specification adopts, or a command names, is not in the database"
    remedy = "correct the name, or let the view be created (origin: create)"

    @property
    def names(self) -> str:
        return ", ".join(self.known) or "none"


@declared
class ViewsOutOfSight(RedshiftError):
    """Redshift shows a user its own views and their refreshes, and nothing of another's."""

    user: str
    place: str

    id = "FL-7205"
    message = "{user} is not shown how the views in {place} are doing: Redshift shows a user its own alone."
    causes = (
        "The database user who looks neither owns the views nor is a superuser, so that Redshift shows nothing of them"
    )
    remedy = "run it as the role that deploys, whose views they are, or as a superuser of the database."
