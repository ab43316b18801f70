"""The component `Environment`, and the provider that the engine asks for it.

The provider is Pulumi's own for components (`pulumi.provider`); its schema is made from the specification's instead of from
annotations, because a specification has unions and checks that annotations of a component can't say.
"""

import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pulumi
import yaml
from pulumi.provider import ConstructResult, Provider, main

from firnline_infra.pulumi.layers import environment
from firnline_infra.pulumi.package.schema import OUTPUTS, TOKEN, named_as_in_a_specification, package_schema
from firnline_infra.pulumi.program import providers, refuse_without_keys
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.modules import with_modules
from firnline_ingest.errors import ConfigError

PACKAGES = ("aws", "snowflake")


class EnvironmentComponent(pulumi.ComponentResource):
    """Creates everything that a specification asks for. Its providers are made of the specification unless they are given."""

    def __init__(self, name: str, inputs: Mapping[str, Any], opts: pulumi.ResourceOptions | None = None) -> None:
        document = {"version": 1, **named_as_in_a_specification(inputs)}
        spec = specification_of(document, f"{TOKEN.rpartition(':')[2]} {name!r}")
        refuse_without_keys(spec)
        super().__init__(TOKEN, name, None, opts)
        made = environment(spec, pulumi.ResourceOptions(parent=self, providers=self._both(spec, opts)))
        given = made.given()
        self.state: dict[str, pulumi.Input[Any]] = {
            "outputs": given,
            "engineConfig": given["engine_config"],
            "engineConfigHash": given["engine_config_hash"],
            "ledgerTable": given["ledger_table"],
            "specification": yaml.safe_dump(document, sort_keys=False, allow_unicode=True),
        }
        self.register_outputs({name: self.state[name] for name in OUTPUTS})

    def _both(self, spec: EnvironmentSpec, opts: pulumi.ResourceOptions | None) -> list[pulumi.ProviderResource]:
        given = opts.providers if opts is not None and isinstance(opts.providers, Mapping) else {}
        if all(package in given for package in PACKAGES):
            return [given[package] for package in PACKAGES]
        return providers(spec, parent=self)


def specification_of(document: Mapping[str, Any], source: str) -> EnvironmentSpec:
    """Raises ConfigError with all problems; a value that is not known yet is one of them."""
    if unknown := list(_unknown(document, "")):
        raise ConfigError(source, unknown)
    spec = parse_spec(yaml.safe_dump(document, allow_unicode=True), source)
    runtime = spec.aws.runtime
    files = {f"aws.runtime.modules[{place}]": path for place, path in enumerate(runtime.modules)}
    relative = [
        f"{place}: {path!r} must be an absolute path, such as path.resolve({path!r}) gives"
        for place, path in {**files, "aws.runtime.native_wheel": runtime.native_wheel or "/"}.items()
        if not Path(path).is_absolute()
    ]
    if relative:
        raise ConfigError(source, relative)
    spec, absent = with_modules(spec, Path("/"))
    if absent:
        raise ConfigError(source, absent)
    return spec


def _unknown(value: Any, path: str) -> Iterator[str]:
    """Secrets and outputs: an environment's resources depend on its inputs, so a preview could show none of them."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _unknown(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from _unknown(each, f"{path}[{place}]")
    elif not isinstance(value, str | int | float | bool | None):
        yield f"{path}: must be a value that is known when the program runs, not an output or a secret"


class EnvironmentProvider(Provider):
    """Answers the engine: the package's schema, and one component."""

    def __init__(self) -> None:
        super().__init__(version("firnline-infra"))

    @property
    def schema(self) -> str:
        """JSON; made when it is asked for, as an SDK is generated, and not when an environment is created."""
        import json

        return json.dumps(package_schema(self.version or ""))

    @schema.setter
    def schema(self, given: str | None) -> None:
        """Pulumi's own class sets what it was given, which is nothing."""

    def construct(
        self, name: str, resource_type: str, inputs: pulumi.Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        if resource_type != TOKEN:
            raise ValueError(f"{resource_type} is not a component of this package; it has {TOKEN}")
        try:
            made = EnvironmentComponent(name, inputs, options)
        except (ConfigError, pulumi.RunError) as error:
            raise pulumi.InputPropertiesError(str(error), []) from None  # shown without a traceback
        return ConstructResult(made.urn, made.state)


def serve() -> None:
    """Runs the provider until the engine needs it no more: what the package's program does (stacks/component)."""
    main(EnvironmentProvider(), sys.argv[1:])
