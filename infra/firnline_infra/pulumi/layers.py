"""An environment in three layers, by how often they change: where data is kept, where it lands, what runs.

Each function renders its part of the blueprint, decides nothing, and returns what it made. One stack may hold all three, or
each one: the resources have the same names either way, so that they can be moved.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pulumi

from firnline_infra.blueprint import Blueprint, EngineInputs, blueprint_of, engine_config
from firnline_infra.blueprint.bucket_layout import CONFIGURATION_FOLDER, folder
from firnline_infra.blueprint.stack_outputs import StackOutputs
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds import layers
from firnline_infra.kinds.principals import adopted_policies
from firnline_infra.kinds.resource import Component
from firnline_infra.pulumi.aws import EngineConfiguration, EngineConfigurationArgs
from firnline_infra.pulumi.references import Lookup, Made, as_input, either, resolved
from firnline_infra.pulumi.rendering import Registrar
from firnline_infra.specification.model import EnvironmentSpec


def foundation(blueprint: Blueprint, opts: pulumi.ResourceOptions) -> Made:
    """Streams, ledger, bucket, secrets: what holds data, and changes hardly ever."""
    return _made_of(layers.foundation(blueprint), None, opts)


def warehouse(blueprint: Blueprint, known: Lookup, opts: pulumi.ResourceOptions) -> Made:
    """Volumes and everything in Snowflake."""
    return _made_of(layers.warehouse(blueprint), known, opts)


def runtime(blueprint: Blueprint, known: Lookup, opts: pulumi.ResourceOptions) -> Made:
    """Makes what the engine is and reads, what watches it, what others find of it."""
    args = EngineConfigurationArgs(
        document=_document(blueprint.environment, resolved(blueprint.outputs, known)),
        bucket=blueprint.job_bucket,
        folder=folder(blueprint.environment, CONFIGURATION_FOLDER),
    )
    engine = EngineConfiguration("engine-config", resolved(args, known), opts)
    made: Made = {Reference("engine", "document"): engine.document, Reference("engine", "hash"): engine.hash}
    if engine.url is not None:
        made[Reference("engine", "url")] = engine.url
    registrar = Registrar(known)
    made |= {reference: registrar.value(each) for reference, each in adopted_policies(blueprint.environment).items()}
    return made | _made_of(layers.runtime(blueprint), either(made, known), opts)


def _made_of(components: Iterable[Component], known: Lookup | None, opts: pulumi.ResourceOptions) -> Made:
    registrar = Registrar(known)
    made: Made = {}
    for each in components:
        registrar.component(each, opts)
        made |= {reference: registrar.value(reference) for reference in each.gives}
    return made


def _document(environment: Environment, inputs: EngineInputs) -> pulumi.Output[dict[str, Any]]:
    """The private key's place may have to be identified by the secret that was made, the dead letters' key and consumers too."""

    def document(told: list[dict[str, Any]]) -> dict[str, Any]:
        dead_letters, consumers, *keys = told
        private_keys = dict(zip(inputs.private_keys, keys, strict=True))
        return engine_config(
            environment, replace(inputs, private_keys=private_keys, dead_letters=dead_letters, consumers=consumers)
        )

    places = [
        {name: as_input(value) for name, value in each.items()}
        for each in (inputs.dead_letters, inputs.consumers, *inputs.private_keys.values())
    ]
    return pulumi.Output.all(*places).apply(document)


def environment(spec: EnvironmentSpec, opts: pulumi.ResourceOptions) -> StackOutputs:
    """Everything that the specification asks for. `opts` names the two providers (`providers`)."""
    blueprint = blueprint_of(spec)
    made: Made = foundation(blueprint, opts)
    made |= warehouse(blueprint, made.__getitem__, opts)
    made |= runtime(blueprint, made.__getitem__, opts)
    return resolved(blueprint.stack_outputs, made.__getitem__)
