"""The engine's configuration and its hash as expressions: both hold what is only known once an environment is made.

The document is made with an ARN in the place of each reference, which passes the engine's own checks, and that ARN is then
exchanged for the interpolation. So Terraform computes the hash that the engine logs.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from firnline_infra.blueprint.engine_config import EngineInputs, document_text, engine_config, hashed_text
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.terraform.expressions import escaped


def engine_locals(environment: Environment, inputs: EngineInputs, written: Callable[[Any], Any]) -> Mapping[str, str]:
    """The document, the text that its hash is of, and the hash. `written` says what stands for a reference."""
    references: dict[str, Reference] = {}

    def standing_in(values: Mapping[str, Value]) -> dict[str, Value]:
        return {name: _stand_in(environment, each, references) for name, each in values.items()}

    document = engine_config(
        environment,
        replace(
            inputs,
            private_keys={user: standing_in(key) for user, key in inputs.private_keys.items()},
            dead_letters=standing_in(inputs.dead_letters),
            consumers=standing_in(inputs.consumers),
        ),
    )

    def as_template(text: str) -> str:
        text = escaped(text)
        for stand_in, reference in references.items():
            text = text.replace(stand_in, written(reference))
        return text

    return {
        "engine_config": as_template(document_text(document)),
        "engine_config_hashed": as_template(hashed_text(document)),
        "engine_config_hash": "${substr(sha256(local.engine_config_hashed), 0, 16)}",
    }


def _stand_in(environment: Environment, value: Value, references: dict[str, Reference]) -> Value:
    if not isinstance(value, Reference):
        return value
    service, _, name = value.of.partition("/")
    prefix, at = f"arn:{environment.aws.partition}", f"{environment.aws.region}:{environment.aws.account}"
    match service:
        case "secret":
            text = f"{prefix}:secretsmanager:{at}:secret:reference-{len(references)}"
        case "consumer":
            stream, _, consumer = name.rpartition("/")
            text = f"{prefix}:kinesis:{at}:stream/{stream}/consumer/{consumer}:{len(references)}"
        case _:
            raise KeyError(f"{value} in the engine's configuration: only secrets and consumers are expected there")
    references[text] = value
    return text
