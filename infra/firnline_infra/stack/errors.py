"""Further refusals before anything is created, or destroyed.

DeployError
├── NoProgram          stacks/pulumi is not here, or has no settings for this environment
├── PackagesTooOld     a Python package is older than the one that this was made for
├── SecretsLost        a secret that the file of keys names is gone
├── OnlyLooks          the role of previews was to change something
├── DestroyRefused     the environment is protected
├── ApplicationInUse   an application of EMR Serverless can't be changed or deleted while a job runs in it
├── OtherTool          the state of the other tool holds the environment
├── SecretsKeyOutOfReach  the key that a new stack's secrets would be encrypted with can't be used
└── NotDeployed        there is no such stack yet, or nothing in it
"""

from collections.abc import Sequence

from firnline_infra.observe.errors import DeployError
from firnline_infra.specification.identifier import Identifier
from firnline_ingest.errors import declared


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
    remedy = "install the pinned ones: pip install 'firnline-infra[deploy]' (in a clone: scripts/setup)."

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(f"These packages won't do: {'; '.join(problems)}.")


@declared
class OnlyLooks(DeployError):
    """The role of previews was to change something."""

    role: Identifier
    deploys: Identifier

    id = "FL-5543"
    message = "{role} is the role of previews, which sees and changes nothing."
    next_step = (
        "log in as who deploys: SNOWFLAKE_USER and SNOWFLAKE_ROLE, {deploys} where the bootstrap made it. Nothing was "
        "changed."
    )
    causes = "`up` or `destroy` with the user or role of previews. Nothing was changed"
    remedy = "log in as who deploys"


@declared
class DestroyRefused(DeployError):
    """The environment is PROTECTED; a destroy would delete its data for good."""

    environment: str
    holds: Sequence[str]

    id = "FL-6134"
    message = "Environment {environment} is PROTECTED, and holds data: {holds}."
    causes = "The environment is PROTECTED"
    remedy = (
        "where all of it may go: set `durability: EPHEMERAL` in the specification, have that reviewed, run firnline "
        "up, and then firnline destroy."
    )


@declared
class NotDeployed(DeployError):
    """Nothing was ever made from this specification with this backend."""

    stack: str
    backend: str
    environment: str
    elsewhere: str

    id = "FL-6135"
    message = "Nothing of stack {stack} is made: there is none in {backend}, or an empty one."
    next_step = "firnline up {environment}; or {elsewhere}."
    causes = "No such stack in this backend, or an empty one"
    remedy = "`firnline up`; or the message's step, if its state is elsewhere"


class OtherTool(DeployError):
    """Pulumi's state holds an environment that Terraform was to change, or the other way round."""

    id = "FL-6139"
    causes = (
        "Pulumi's state holds the environment that Terraform was to change, or the other way round. Nothing was created"
    )
    remedy = "go on with the tool that has it, or move it: docs/beside-terraform.md"

    def __init__(self, environment: str, *, ours: str, other: str, place: str, resources: int) -> None:
        folder = f"stacks/terraform/{environment}"
        found = f"{resources} resource{'s' * (resources > 1)}"
        go_on = f"without {folder}" if ours == "Terraform" else f"firnline terraform {environment} --into {folder}"
        super().__init__(
            f"{environment} is {other}'s, and {ours} was to change it: {place} holds {found}.",
            next_step=f"go on with {other} ({go_on}); or move it: firnline import, {other} lets go, and then this "
            "(docs/beside-terraform.md). Nothing was created.",
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


class SecretsKeyOutOfReach(DeployError):
    """The key that a new stack's secrets would be encrypted with is not there, or not for the deployer."""

    id = "FL-5501"
    causes = (
        "A new stack's secrets are encrypted with the key that the bootstrap makes, and it is not there, or not for "
        "the deployer. Nothing was created"
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
            f"The changes would be: {'; '.join(differing)}.",
            next_step=f"firnline stop {environment}, which proves all rows first; then the same command again. Nothing was "
            "changed.",
        )
