"""Settings of jobs of every provider of CI: who they are in both clouds, and the toolkit's release."""

from pathlib import PurePosixPath

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.environment import Environment
from firnline_infra.render.bootstrap.settings import BACKEND, settings
from firnline_infra.render.ci.tools import CiTool, tool_slots
from firnline_infra.render.template_file import filled
from firnline_infra.specification.model import Durability
from firnline_infra.specification.origin import Origin


def set_up(provider: str, blueprint: Blueprint, *, release: str, environment: str, tool: CiTool) -> dict[str, str]:
    """The slots that begin a job which only reads, and one that changes the environment."""
    made = blueprint.environment
    who = {
        "SET_UP_PREVIEW": (blueprint.names.preview_role, made.bootstrap.previewer_role),
        "SET_UP_DEPLOYMENT": (blueprint.names.deploy_role, made.bootstrap.deployer_role),
    }
    toolkit = {"PACKAGE": f"firnline-infra[{tool.extra}]=={release}", "ENVIRONMENT": environment}
    account = {"ACCOUNT": made.aws.account} if provider == "github" else {}
    set_ups = {
        slot: filled(
            __package__,
            f"{provider}-setup.yaml",
            {
                **{name: value for name, value in settings(made, str(user)).items() if name != BACKEND},
                **tool_slots(provider, made, tool),
                **toolkit,
                **account,
                "ROLE": made.arns.role(role),
            },
        ).removesuffix("\n")
        for slot, (user, role) in who.items()
    }
    return {**set_ups, "PROTECTED": " --protected" if _is_held_to_protection(made) else ""}


def _is_held_to_protection(environment: Environment) -> bool:
    """Written down in the pipeline: a pull request that makes the environment EPHEMERAL is then refused."""
    return environment.durability is Durability.PROTECTED and environment.aws.key.origin is not Origin.SKIP


def watched_paths(name: str, environment: str, stacks: str, pipeline: str) -> list[str]:
    """Returns what an environment depends on in a team's repository: a specification that lies elsewhere with its keys, and the
    pipeline itself.
    """
    elsewhere = [] if environment == name else [str(PurePosixPath(environment).with_suffix(".*"))]
    return [stacks, *elsewhere, pipeline]
