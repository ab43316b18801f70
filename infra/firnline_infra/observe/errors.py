"""Errors by which `up` or `destroy` is refused, because of what is there.

DeployError
├── AlreadyThere       what is to be created exists, and this stack did not make it
├── AdoptedUnusable    what is adopted is not there, not as it is said to be, or not granted
├── OwnerOutOfReach    a table's owner is a role that who deploys no longer has
├── ObjectsHidden      the stack made it, it is there, and who deploys can't see it
├── OthersWouldLose    the stack made it, it is another owner's by now, and `destroy` would drop it
└── ClusterInUse       a cluster would be removed, or replaced, while jobs run in it
"""

from collections.abc import Iterable, Sequence

from firnline_infra.specification.identifier import Identifier
from firnline_ingest.errors import Fatal, FirnlineError, declared


class DeployError(FirnlineError, Fatal):
    """An environment could not be deployed."""

    id = "FL-6130"


@declared
class AlreadyThere(DeployError):
    """Objects that `up` would create exist already, and this stack did not make them."""

    found: Sequence[str]

    id = "FL-6133"
    message = "These exist already, and this stack did not make them:\n{found:list}"
    causes = "An object to create exists already, and this stack did not create it. Nothing was created"
    remedy = (
        "if they are yours: adopt them (origin: adopt) or import them (docs/adopt.md); if another stack of "
        "yours made them: go on with that one (docs/layered-stacks.md); if this one made them, and its state was "
        "moved: bring that back, or firnline import; if they are another's: give yours another name. Nothing was "
        "created."
    )


@declared
class AdoptedUnusable(DeployError):
    """An adopted object is not there, is not as the specification says, or its owner has not granted what is needed."""

    problems: Sequence[str]
    statements: Sequence[str]

    id = "FL-5541"
    message = "These adopted objects can't be used yet:\n{problems:list}"
    next_step = "{told}Nothing was created."
    causes = (
        "An adopted object does not exist, differs from the specification, or its owner has not granted what is needed. "
        "Nothing was created"
    )
    remedy = "hand the statements of the message to the owners; they are in what `firnline bootstrap` writes too"

    @property
    def told(self) -> str:
        return (
            f"have the owners run this:{_to_run(self.statements)}\n  "
            if self.statements
            else "correct the specification, or what is there. "
        )


@declared
class OwnerOutOfReach(DeployError):
    """The deploy role has lost the engine's role, through which alone it reaches the tables with `table_privilege:
    ownership`."""

    table: str
    owner: Identifier
    deployer: Identifier

    id = "FL-6137"
    message = "{table} belongs to role {owner}, which {deployer} no longer has: Pulumi would not see it, and take it for gone."
    next_step = "find out who revoked it, and run: GRANT ROLE {owner.sql} TO ROLE {deployer.sql}; Nothing was changed."
    causes = (
        "With `table_privilege: ownership`: the engine's role was revoked from the role that deploys, which reaches "
        "the table through it. Nothing was changed"
    )
    remedy = "grant it again: the message has the statement"


@declared
class ObjectsHidden(DeployError):
    """Pulumi would take them for gone, forget them, and fail to make them again."""

    hidden: Sequence[tuple[str, str]]
    """The description of each, with its owner if it is known, and the statement that gives it back."""
    role: Identifier

    id = "FL-6138"
    message = "{role} can't see objects that this stack made, and something is still there under each name:\n{descriptions:list}"
    next_step = (
        "find out who gave them away or replaced them. If they are to come back, have their owner or an "
        "administrator run this:{run}\n  then the same command again (firnline drift says then whether it is another one "
        "that was made under the name). Nothing was changed, and the stack still knows them."
    )
    causes = (
        "Objects of the stack are there, and the role that deploys can't see them: they were given to another owner, replaced "
        "(CREATE OR REPLACE gives the new one to the role that runs it, and ends all grants), or a right on what contains "
        "them was revoked. Nothing was changed, and the stack still knows them"
    )
    remedy = "the statements of the message, by the owner or an administrator; then the same command again"

    @property
    def descriptions(self) -> list[str]:
        return [description for description, _ in self.hidden]

    @property
    def run(self) -> str:
        return _to_run(statement for _, statement in self.hidden)


@declared
class OthersWouldLose(DeployError):
    """`destroy` would drop what belongs to another owner by now, or leave it behind unsaid."""

    others: Sequence[tuple[str, str]]
    """The description of each, with its owner if it is known, and the statement that gives it back."""
    role: Identifier

    id = "FL-6141"
    message = "These were created by this stack and are no longer {role}'s:\n{descriptions:list}"
    next_step = (
        "ask who has them. If they are to go with the environment, have their owner or an administrator run "
        "this:{run}\n  If they are to stay, have them moved to a database that stays (ALTER TABLE … RENAME TO …). Then "
        "the same command again. Nothing was removed."
    )
    causes = (
        "Objects that the stack made are another owner's by now, and `destroy` would drop them with the schema or the database "
        "that they are in, or leave them behind in one that stays. Nothing was removed"
    )
    remedy = (
        "ask their owner: what is to go is given back, by the statements of the message; what is to stay is moved out of the "
        "environment's databases, or dropped; then the same command again"
    )

    @property
    def descriptions(self) -> list[str]:
        return [description for description, _ in self.others]

    @property
    def run(self) -> str:
        return _to_run(statement for _, statement in self.others)


@declared
class OtherObjectsThere(DeployError):
    """`destroy` would drop what this stack never made, with the schema or the database that it is in."""

    others: Sequence[str]

    id = "FL-6142"
    message = "These lie in what this stack made, and it did not make them:\n{others:list}"
    next_step = (
        "ask their owners. Objects that are to stay are moved to a database that stays (ALTER TABLE … RENAME TO …, a clone, or "
        "made anew there); if all of it is to go, the same command with --with-others. Nothing was removed."
    )
    causes = (
        "Another owner has put tables, views, stages, functions or other objects into a database or a schema that the stack "
        "made: `destroy` would drop them with it. Nothing was removed"
    )
    remedy = (
        "ask their owners; what is to stay is moved to a database that stays (`ALTER TABLE … RENAME TO …`, or a clone), and "
        "`firnline destroy ENV --with-others` drops the rest"
    )


@declared
class ClusterInUse(DeployError):
    """The place in which an engine runs would be removed, or another take its place, while jobs are in it."""

    place: str
    why: str
    jobs: Sequence[str]
    environment: str

    id = "FL-5681"
    message = "The {place} would go ({why}), and {jobs} runs in it."
    next_step = (
        "firnline stop {environment}, which proves all rows first; then the same command again. Nothing was changed."
    )
    causes = (
        "`destroy`, or an `up` that replaces it, would remove the virtual cluster of EMR on EKS, or the cluster of EMR "
        "on EC2, while a job or a step is in it. Nothing was changed"
    )
    remedy = "`firnline stop`, then the same command again"


def _to_run(statements: Iterable[str]) -> str:
    return "".join(f"\n      {statement};" for statement in statements)
