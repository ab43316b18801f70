"""What is refused before anything is created, or destroyed.

DeployError
├── NoProgram          stacks/pulumi is not here, or has no settings for this environment
├── PackagesTooOld     a Python package is older than the one that this was made for
├── AlreadyThere       what is to be created exists, and this stack did not make it
├── AdoptedUnusable    what is adopted is not there, not as it is said to be, or not granted
├── SecretsLost        a secret that the file of keys names is gone
├── OwnerOutOfReach    a table's owner is a role that who deploys no longer has
├── OnlyLooks          the role of previews was to change something
├── DestroyRefused     the environment is protected
├── ApplicationInUse   an application of EMR Serverless can't be changed or deleted while a job runs in it
├── SecretsKeyOutOfReach  the key that a new stack's secrets would be encrypted with can't be used
└── NotDeployed        there is no such stack yet, or nothing in it
"""

from collections.abc import Sequence

from firnline_infra.specification.identifier import Identifier
from firnline_ingest.errors import Fatal, FirnlineError


class DeployError(FirnlineError, Fatal):
    """An environment could not be deployed."""

    id = "FL-6130"


class NoProgram(DeployError):
    """There is no Pulumi program here, or its settings do not name the specification."""

    id = "FL-6131"
    causes = "The stack has no settings that name this specification"
    remedy = "what it says"

    def __init__(self, problem: str, *, next_step: str) -> None:
        super().__init__(problem, next_step=next_step)


class PackagesTooOld(DeployError):
    """A Python package is older than the program needs; Pulumi would find that out half-way."""

    id = "FL-6132"
    causes = "Pulumi or a provider is older than its pin"
    remedy = "install the pinned ones"

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(
            f"These packages won't do: {'; '.join(problems)}.",
            next_step="install the pinned ones: pip install 'firnline-infra[deploy]' (in a clone: scripts/setup).",
        )


class AlreadyThere(DeployError):
    """Objects that `up` would create exist already, and this stack did not make them."""

    id = "FL-6133"
    causes = "What is to be created exists, and this stack did not make it. Nothing was created"
    remedy = "adopt, import, or rename"

    def __init__(self, found: Sequence[str]) -> None:
        self.found = tuple(found)
        super().__init__(
            "These exist already, and this stack did not make them:\n" + "\n".join(f"  - {each}" for each in found),
            next_step="where they are yours: adopt them (origin: adopt) or import them (docs/adopt.md); where another stack of "
            "yours made them: go on with that one (docs/layered-stacks.md); where they are somebody else's: give yours "
            "another name. Nothing was created.",
        )


class AdoptedUnusable(DeployError):
    """What is adopted is not there, is not as the specification says, or its owner has not granted what is needed."""

    id = "FL-5541"
    causes = (
        "What the specification adopts is not there, is not as it says, or its owner has not granted what is needed. "
        "Nothing was created"
    )
    remedy = "hand the statements of the message to the owners; they are in what `firnline bootstrap` writes too"

    def __init__(self, problems: Sequence[str], statements: Sequence[str]) -> None:
        self.problems, self.statements = tuple(problems), tuple(statements)
        run = "".join(f"\n      {statement};" for statement in statements)
        told = f"have the owners run this:{run}\n  " if statements else "correct the specification, or what is there. "
        super().__init__(
            "What is adopted can't be used yet:\n" + "\n".join(f"  - {each}" for each in problems),
            next_step=f"{told}Nothing was created.",
        )


class OnlyLooks(DeployError):
    """The role of previews was to change something."""

    id = "FL-5543"
    causes = "`up` or `destroy` with the user or role of previews. Nothing was changed"
    remedy = "log in as who deploys"

    def __init__(self, role: Identifier, *, deploys: Identifier) -> None:
        super().__init__(
            f"{role} is the role of previews, which sees and changes nothing.",
            next_step=f"log in as who deploys: SNOWFLAKE_USER and SNOWFLAKE_ROLE, {deploys} where the bootstrap made it. "
            f"Nothing was changed.",
        )


class DestroyRefused(DeployError):
    """The environment is PROTECTED; a destroy would delete its data for good."""

    id = "FL-6134"
    causes = "The environment is PROTECTED"
    remedy = "`durability: EPHEMERAL`, reviewed; `up`; `destroy`"

    def __init__(self, environment: str, holds: Sequence[str]) -> None:
        super().__init__(
            f"Environment {environment} is PROTECTED, and holds data: {', '.join(holds)}.",
            next_step="where all of it may go: set `durability: EPHEMERAL` in the specification, have that reviewed, run "
            "firnline up, and then firnline destroy.",
        )


class NotDeployed(DeployError):
    """Nothing was ever made from this specification with this backend."""

    id = "FL-6135"
    causes = "No such stack in this backend, or an empty one"
    remedy = "`firnline up`, or `PULUMI_BACKEND_URL`"

    def __init__(self, stack: str, backend: str, *, environment: str) -> None:
        super().__init__(
            f"Nothing of stack {stack} is made: there is none in {backend}, or an empty one.",
            next_step=f"firnline up {environment}; or set PULUMI_BACKEND_URL to where its state is.",
        )


class SecretsLost(DeployError):
    """A secret that the file of keys names is gone, so nobody could log in with its key."""

    id = "FL-6136"
    causes = "The file of keys names a secret that was deleted, or is in another account. Nothing was created"
    remedy = "have it back, or new keys: the message says how"

    def __init__(self, lost: Sequence[str], *, environment: str) -> None:
        self.lost = tuple(lost)
        super().__init__(
            "The file of keys names secrets that can't be used:\n" + "\n".join(f"  - {each}" for each in lost),
            next_step=f"after that, firnline up {environment} again. Nothing was created.",
        )


class OwnerOutOfReach(DeployError):
    """With `table_privilege: ownership`, the deploy role reaches the tables only through the engine's role."""

    id = "FL-6137"
    causes = (
        "With `table_privilege: ownership`: the engine's role was revoked from the role that deploys, which reaches "
        "the table through it. Nothing was changed"
    )
    remedy = "grant it again: the message has the statement"

    def __init__(self, table: str, *, owner: Identifier, deployer: Identifier) -> None:
        super().__init__(
            f"{table} belongs to role {owner}, which {deployer} no longer has: Pulumi would not see it, and take it for gone.",
            next_step=f"find out who revoked it, and run: GRANT ROLE {owner.sql} TO ROLE {deployer.sql}; Nothing was changed.",
        )


class SecretsKeyOutOfReach(DeployError):
    """The key that a new stack's secrets would be encrypted with is not there, or not for whoever deploys."""

    id = "FL-5501"
    causes = (
        "A new stack's secrets are encrypted with the key that the bootstrap makes, and it is not there, or not for "
        "whoever deploys. Nothing was created"
    )
    remedy = "make what `firnline bootstrap` renders, or name another `secretsprovider` in `Pulumi.<stack>.yaml`"

    def __init__(self, stack: str, encryption: str, lines: Sequence[str]) -> None:
        super().__init__(
            f"Stack {stack} was not made: its secrets are to be encrypted with {encryption}, and that key refused:\n"
            + "\n".join(f"    {line}" for line in lines[-3:]),
            next_step="make what `firnline bootstrap` renders (its key is this one), or name another secretsprovider in "
            f"Pulumi.{stack}.yaml: the URL of a key of yours, or `passphrase`. Nothing was created.",
        )


class ApplicationInUse(DeployError):
    """An application of EMR Serverless would be changed or deleted while a job runs in it, which AWS refuses."""

    id = "FL-5502"
    causes = (
        "`up` would change the EMR Serverless application, or `destroy` delete it, while an engine runs in it; AWS "
        "takes neither. Nothing was changed"
    )
    remedy = "`firnline stop`, then the same command again"

    def __init__(self, application: str, differing: Sequence[str], runs: Sequence[str], *, environment: str) -> None:
        super().__init__(
            f"AWS changes application {application} only while it is stopped, and {', '.join(runs)} runs in it. "
            f"What would be changed: {'; '.join(differing)}.",
            next_step=f"firnline stop {environment}, which proves all rows first; then the same command again. Nothing was "
            "changed.",
        )


class PlaceInUse(DeployError):
    """What an engine runs in would be removed, or another take its place, while jobs are in it."""

    id = "FL-5681"
    causes = (
        "`destroy`, or an `up` that replaces it, would remove the virtual cluster of EMR on EKS, or the cluster of EMR "
        "on EC2, while a job or a step is in it. Nothing was changed"
    )
    remedy = "`firnline stop`, then the same command again"

    def __init__(self, place: str, why: str, jobs: Sequence[str], *, environment: str) -> None:
        super().__init__(
            f"The {place} would go ({why}), and {', '.join(jobs)} runs in it.",
            next_step=f"firnline stop {environment}, which proves all rows first; then the same command again. Nothing was "
            "changed.",
        )
