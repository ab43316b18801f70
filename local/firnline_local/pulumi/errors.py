"""Errors between Pulumi and the embedded environment.

LocalError
├── NotAdmitted            a provider was started without a running environment
├── ConfigurationRefused   a provider's configuration is not one for this environment
├── InputsRefused          a resource's inputs are not what the real provider takes
├── ServiceRefused         the embedded AWS or Snowflake refused a call
├── ImportRefused          what was to be adopted is not there, or differs from the program
├── DeletionRefused        a resource is protected
└── NotInProcess           a program needs what only the real engine has
"""

from pathlib import Path

from firnline_ingest.errors import declared
from firnline_local.errors import START, LocalError


def list_of(problems: list[str]) -> str:
    return "\n".join(f"  - {problem}" for problem in problems)


@declared
class NotAdmitted(LocalError):
    """A provider of the embedded environment refuses to be one of anything else. Runbook: FL-6051."""

    package: str
    why: str
    folder: Path | None = None

    id = "FL-6051"
    message = "The embedded provider of {package} was started for no running embedded environment: {why}."
    next_step = (
        f"start one ({START}{{where}}), and the engine through firnline, which tells its providers where "
        "it is. For a real account, leave the embedded environment's Pulumi home (PULUMI_HOME)."
    )
    causes = "A provider of the embedded environment was started without one"
    remedy = "`firnline local up`, then the engine through firnline"

    @property
    def where(self) -> str:
        return f" --folder {self.folder}" if self.folder else ""


@declared
class ConfigurationRefused(LocalError):
    """A provider is configured for another cloud than the embedded one. Runbook: FL-6052."""

    package: str
    problems: list[str]

    id = "FL-6052"
    message = "The provider {package} can't be configured like this:\n{problems:list}"
    next_step = "correct the provider's arguments, or the environment's specification that they come from."
    causes = "A provider is configured for another account, region or endpoint than the embedded one"
    remedy = "correct its arguments"


@declared
class InputsRefused(LocalError):
    """The real provider would refuse a resource's inputs. Runbook: FL-6053."""

    token: str
    name: str
    problems: list[str]

    id = "FL-6053"
    message = "{token} {name} can't be made from its inputs:\n{problems:list}"
    next_step = "correct the program; the arguments of a type are in its provider's documentation."
    causes = "The real provider would refuse a resource's inputs; all mistakes are listed"
    remedy = "correct the program"


@declared
class ServiceRefused(LocalError):
    """A service refused what a resource needs. Runbook: FL-6054."""

    token: str
    name: str
    call: str
    said: str
    next_step: str

    id = "FL-6054"
    message = "{token} {name}: {call} was refused: {said}"
    causes = "The embedded AWS or Snowflake refused a call for a resource"
    remedy = "what it says; a name that is taken can be adopted"


@declared
class ImportRefused(LocalError):
    """A resource can't be adopted as the program describes it. Runbook: FL-6055."""

    token: str
    name: str
    id_: str
    why: str

    id = "FL-6055"
    message = "{token} {name} can't be imported by the id {id_}: {why}"
    next_step = "compare the program with what is there; the id is the one that `pulumi import` takes."
    causes = "An object to adopt does not exist, or differs from the program"
    remedy = "compare both; the id is that of `pulumi import`"


@declared
class DeletionRefused(LocalError):
    """A resource is protected from being deleted. Runbook: FL-6056."""

    token: str
    name: str

    id = "FL-6056"
    message = "{token} {name} is protected, and would be deleted."
    next_step = "take `protect` out of its options, apply that, then delete it."
    causes = "A protected resource would be deleted"
    remedy = "take `protect` away first"


@declared
class NotInProcess(LocalError):
    """A program asks the engine for something that only the real one does. Runbook: FL-6057."""

    feature: str

    id = "FL-6057"
    message = "The program uses {feature}, which is not there in process."
    next_step = "apply it through the Pulumi CLI."
    causes = "A program needs what only the real engine has"
    remedy = "apply it through the Pulumi CLI"
