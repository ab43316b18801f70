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
from firnline_ingest.errors import counted, declared


class NoProgram(DeployError):
    """There is no Pulumi program here, or its settings do not name the specification."""

    id = "FL-6131"
    causes = "The stack has no settings that name this specification"
    remedy = "what it says"


@declared
class PackagesTooOld(DeployError):
    """A Python package is older than the program needs; Pulumi would find that out half-way."""

    problems: Sequence[str]

    id = "FL-6132"
    message = "These packages won't do: {problems:; }."
    causes = "Pulumi or a provider is older than its pin"
    remedy = "install the pinned ones: pip install 'firnline-infra[deploy]' (in a clone: scripts/setup)."


@declared
class OnlyLooks(DeployError):
    """The role of previews was to change something."""

    role: Identifier
    deploys: Identifier

    id = "FL-5543"
    message = "{role} is the role of previews, which sees and changes nothing."
    next_step = (
        "log in as who deploys: SNOWFLAKE_USER and SNOWFLAKE_ROLE, {deploys} where the bootstrap made it. "
        "Nothing was changed."
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


@declared
class OtherTool(DeployError):
    """Pulumi's state holds an environment that Terraform was to change, or the other way round."""

    environment: str
    ours: str
    other: str
    place: str
    resources: int

    id = "FL-6139"
    message = "{environment} is {other}'s, and {ours} was to change it: {place} holds {found}."
    next_step = (
        "go on with {other} ({go_on}); or move it: firnline import, {other} lets go, and then this (docs/beside-terraform.md). "
        "Nothing was created."
    )
    causes = (
        "Pulumi's state holds the environment that Terraform was to change, or the other way round. Nothing was created"
    )
    remedy = "go on with the tool that has it, or move it: docs/beside-terraform.md"

    @property
    def found(self) -> str:
        return counted(self.resources, "resource")

    @property
    def go_on(self) -> str:
        folder = f"stacks/terraform/{self.environment}"
        return (
            f"without {folder}"
            if self.ours == "Terraform"
            else f"firnline terraform {self.environment} --into {folder}"
        )


@declared
class SecretsLost(DeployError):
    """A secret that the file of keys names is gone, so nobody could log in with its key."""

    lost: Sequence[str]
    environment: str

    id = "FL-6136"
    message = "The file of keys names secrets that can't be used:\n{lost:list}"
    next_step = "after that, firnline up {environment} again. Nothing was created."
    causes = "The file of keys names a secret that was deleted, or is in another account. Nothing was created"
    remedy = "have it back, or new keys: the message says how"


@declared
class SecretsKeyOutOfReach(DeployError):
    """The key that a new stack's secrets would be encrypted with is not there, or not for the deployer."""

    stack: str
    encryption: str
    lines: Sequence[str]

    id = "FL-5501"
    message = (
        "Stack {stack} was not made: its secrets are to be encrypted with {encryption}, and that key refused:\n"
        "{last_lines}"
    )
    next_step = (
        "make what `firnline bootstrap` renders (its key is this one), or name another secretsprovider in Pulumi.{stack}.yaml: "
        "the URL of a key of yours, or `passphrase`. Nothing was created."
    )
    causes = (
        "A new stack's secrets are encrypted with the key that the bootstrap makes, and it is not there, or not for "
        "the deployer. Nothing was created"
    )
    remedy = "make what `firnline bootstrap` renders, or name another `secretsprovider` in `Pulumi.<stack>.yaml`"

    @property
    def last_lines(self) -> str:
        return "\n".join(f"    {line}" for line in self.lines[-3:])


@declared
class ApplicationInUse(DeployError):
    """An application of EMR Serverless would be changed or deleted while a job runs in it, which AWS refuses."""

    application: str
    differing: Sequence[str]
    runs: Sequence[str]
    environment: str

    id = "FL-5502"
    message = (
        "AWS changes application {application} only while it is stopped, and {runs} runs in it. The changes would be: "
        "{differing:; }."
    )
    next_step = (
        "firnline stop {environment}, which proves all rows first; then the same command again. Nothing was changed."
    )
    causes = (
        "`up` would change the EMR Serverless application, or `destroy` delete it, while an engine runs in it; AWS "
        "takes neither. Nothing was changed"
    )
    remedy = "`firnline stop`, then the same command again"
