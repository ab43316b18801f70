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


class NotAdmitted(LocalError):
    """A provider of the embedded environment refuses to be one of anything else. Runbook: FL-6051."""

    id = "FL-6051"
    causes = "A provider of the embedded environment was started without one"
    remedy = "`firnline local up`, then the engine through firnline"

    def __init__(self, package: str, why: str, *, folder: Path | None = None) -> None:
        where = f" --folder {folder}" if folder else ""
        super().__init__(
            f"The embedded provider of {package} was started for no running embedded environment: {why}.",
            next_step=f"start one ({START}{where}), and the engine through firnline, which tells its providers where "
            f"it is. For a real account, leave the embedded environment's Pulumi home (PULUMI_HOME).",
        )


class ConfigurationRefused(LocalError):
    """A provider is configured for another cloud than the embedded one. Runbook: FL-6052."""

    id = "FL-6052"
    causes = "A provider is configured for another account, region or endpoint than the embedded one"
    remedy = "correct its arguments"

    def __init__(self, package: str, problems: list[str]) -> None:
        super().__init__(
            f"The provider {package} can't be configured like this:\n{list_of(problems)}",
            next_step="correct the provider's arguments, or the environment's specification that they come from.",
        )
        self.problems = problems


class InputsRefused(LocalError):
    """The real provider would refuse a resource's inputs. Runbook: FL-6053."""

    id = "FL-6053"
    causes = "The real provider would refuse a resource's inputs; all mistakes are listed"
    remedy = "correct the program"

    def __init__(self, token: str, name: str, problems: list[str]) -> None:
        super().__init__(
            f"{token} {name} can't be made from its inputs:\n{list_of(problems)}",
            next_step="correct the program; the arguments of a type are in its provider's documentation.",
        )
        self.problems = problems


class ServiceRefused(LocalError):
    """A service refused what a resource needs. Runbook: FL-6054."""

    id = "FL-6054"
    causes = "The embedded AWS or Snowflake refused a call for a resource"
    remedy = "what it says; a name that is taken can be adopted"

    def __init__(self, token: str, name: str, *, call: str, said: str, next_step: str) -> None:
        super().__init__(f"{token} {name}: {call} was refused: {said}", next_step=next_step)


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


class NotInProcess(LocalError):
    """A program asks the engine for something that only the real one does. Runbook: FL-6057."""

    id = "FL-6057"
    causes = "A program needs what only the real engine has"
    remedy = "apply it through the Pulumi CLI"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"The program uses {what}, which is not there in process.",
            next_step="apply it through the Pulumi CLI.",
        )
