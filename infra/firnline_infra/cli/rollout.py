"""The beginning of `deploy`, `status`, `stop` and `logs`, and the end of `up`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firnline_infra.cli.accounts_option import ChosenAccounts

if TYPE_CHECKING:
    from firnline_infra.artefact import BuiltArtefact
    from firnline_infra.rollout.environment import EngineEnvironment
    from firnline_infra.stack.deployment import Deployment

HOW = 'Next: say output "dev" { value = module.dev } in the root module, apply, then terraform output -json dev > FILE'


def engine_of(
    spec_file: Path,
    accounts: ChosenAccounts,
    *,
    outputs: dict[str, Any] | None = None,
    say: Callable[[str], None] = click.echo,
) -> "EngineEnvironment":
    """The engine of what is deployed; asks no service yet. Reads the stack's `outputs` from its state if they are not given."""
    from firnline_infra.cli.deployment import deployment
    from firnline_infra.rollout.environment import EngineEnvironment
    from firnline_infra.specification import load_spec

    chosen = accounts.of(load_spec(spec_file))
    return EngineEnvironment(
        spec=load_spec(chosen.specification(spec_file)),
        accounts=chosen,
        outputs=lambda: deployment(spec_file, accounts, quiet=True).outputs() if outputs is None else outputs,
        env_argument=accounts.env_argument(spec_file),
        say=say,
    )


def outputs_in(text: str) -> dict[str, Any]:
    """Reads what `terraform output -json` prints: of the module itself, or of an output that is the module.

    Raises BadParameter.
    """
    try:
        document = json.loads(text)
    except ValueError as error:
        raise click.BadParameter(f"it is not JSON ({error}). {HOW}") from error
    found = document if isinstance(document, dict) else {}
    values = {
        name: each["value"] if isinstance(each, dict) and "sensitive" in each else each for name, each in found.items()
    }
    if not isinstance(values.get("engine_config"), dict):
        raise click.BadParameter(f"it has no engine_config. {HOW}")
    return values


def engine_in(found: "Deployment", outputs: dict[str, object]) -> "EngineEnvironment":
    """The engine of a stack that was just brought up."""
    from firnline_infra.rollout.environment import EngineEnvironment

    return EngineEnvironment(
        spec=found.spec,
        accounts=found.accounts,
        outputs=lambda: outputs,
        env_argument=found.env_argument,
        say=found.say,
    )


def artefact_of(engine: "EngineEnvironment", folder: Path | None) -> "BuiltArtefact":
    """The artefact in the folder, or one that is built, or was, for where the environment's engine runs. Raises BuildError."""
    from firnline_infra.artefact import build_cached, native_wheel_of, read_artefact_for, target_of_specification

    target = target_of_specification(engine.spec, **engine.accounts.engines_machine)
    if folder is not None:
        return read_artefact_for(folder, target)
    engine.say(f"Building the engine for {target}; what was built before is taken from the cache.")
    native = native_wheel_of(engine.spec, target, engine.say)
    return build_cached(target, native=native, modules=engine.spec.aws.runtime.modules)
