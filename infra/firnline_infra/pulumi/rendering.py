"""Walks the rows of a component (`firnline_infra.kinds`), and registers what they say with Pulumi.

Names are fixed, because grants, dashboards and the engine's configuration hold them; so the old goes before the new comes.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

import pulumi
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import monitor_supports_feature

from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds import TOKENS
from firnline_infra.kinds.errors import VolumeUnusable
from firnline_infra.kinds.kind import camel
from firnline_infra.kinds.property_names import python_name
from firnline_infra.kinds.resource import (
    Component,
    FormattedText,
    MadeAttribute,
    PolicyText,
    Resource,
    WaitingValue,
)
from firnline_infra.pulumi.references import Lookup, as_input
from firnline_infra.specification.model import Durability

Args = TypeVar("Args")
KNOWN_BEFORE = ("name", "bucket", "execute")
"""Arguments, one of which each resource has that others wait for: as an output it is known before the resource is made."""
TRIES, PAUSE_S = 12, 5.0
"""A minute in all; AWS speaks of seconds."""
SIGNS = (
    *("volume", "assume", "access denied", "accessdenied", "not authorized to perform"),
    "is not recognized",  # how a volume that could not be used fails (blueprint: IcebergVolume.prove)
)


class Registrar:
    """The resources that were registered so far, and what references mean."""

    def __init__(self, lookup: Lookup | None = None) -> None:
        self._lookup = lookup
        self._gives: dict[Reference, Any] = {}
        self._made: dict[Resource | Component, pulumi.Resource] = {}

    def component(self, described: Component, opts: pulumi.ResourceOptions | None) -> "RenderedComponent":
        after = [self._made[each] for each in described.after]
        return RenderedComponent(
            described, pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=after)), self
        )

    def give(self, described: Component, made: pulumi.Resource) -> None:
        self._gives |= described.gives
        self._made[described] = made

    def resource(
        self, described: Resource, parent: pulumi.Resource, waits_for: pulumi.Input[Any] | None = None
    ) -> None:
        token = TOKENS[described.type]
        arguments = {python_name(token, name): self.value(each) for name, each in described.arguments.items()}
        retry = until_the_volume_can_be_used(described.name) if described.uses_new_role else None
        opts = child_of(
            parent,
            # None: as its component
            protect=True if described.durability is Durability.PROTECTED else None,
            depends_on=waits_for if described.waits_with_component else [self._made[each] for each in described.after],
            ignore_changes=[python_name(token, name) for name in described.ignore_changes],
            import_=described.import_id,
            retain_on_delete=described.is_retained or None,
            hooks=retry,
        )
        self._made[described] = _class_of(token)(described.name, **arguments, opts=opts)

    def value(self, value: Any) -> Any:
        """Returns what Pulumi takes for what a row says. Raises TypeError for a reference that nothing here knows."""
        match value:
            case Reference():
                return self._referred(value)
            case MadeAttribute():
                return self._attribute(value.resource, value.path)
            case WaitingValue():
                before = [self._known_before(each) for each in value.after]
                return pulumi.Output.all(self.value(value.value), *before).apply(lambda values: values[0])
            case FormattedText():
                return pulumi.Output.format(value.template, *map(self.value, value.values))
            case PolicyText():
                return pulumi.Output.json_dumps(policy_document(value.statements, resolve=self.value))
            case Mapping():
                return {name: self.value(each) for name, each in value.items()}
            case list() | tuple():
                return [self.value(each) for each in value]
            case _:
                return value

    def _referred(self, reference: Reference) -> Any:
        if reference in self._gives:
            return self.value(self._gives[reference])
        return as_input(reference) if self._lookup is None else self._lookup(reference)

    def _known_before(self, described: Resource) -> pulumi.Output[Any]:
        name = next(each for each in KNOWN_BEFORE if each in described.arguments)
        return self._attribute(described, name)

    def _attribute(self, described: Resource, path: str) -> pulumi.Output[Any]:
        first, *rest = _attribute_names(TOKENS[described.type], path)
        made: pulumi.Output[Any] = getattr(self._made[described], first)
        return made.apply(lambda value: _within(value, rest)) if rest else made


class RenderedComponent(pulumi.ComponentResource):
    """A component of what is described. `made` are its outputs by name."""

    def __init__(
        self,
        described: Component,
        opts: pulumi.ResourceOptions | None = None,
        registrar: Registrar | None = None,
    ) -> None:
        super().__init__(f"firnline:index:{described.type}", described.name, None, opts)
        registrar = registrar or Registrar()
        registrar.give(described, self)
        for member in described.members:
            if isinstance(member, Component):
                RenderedComponent(member, child_of(self), registrar)
            else:
                registrar.resource(member, self, None if opts is None else opts.depends_on)
        self.made: dict[str, Any] = {name: registrar.value(each) for name, each in described.outputs.items()}
        self.register_outputs({camel(name): each for name, each in self.made.items()})


class DefinedComponent(RenderedComponent, Generic[Args]):
    """A component for a program of one's own: `describe` says what it makes of a definition, and its outputs are attributes."""

    _describe: ClassVar[Callable[[str, Any], Component]]

    def __init_subclass__(cls, *, describe: Callable[[str, Any], Component]) -> None:
        cls._describe = staticmethod(describe)

    def __init__(self, name: str, args: Args, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(type(self)._describe(name, args), opts)
        for output, value in self.made.items():
            setattr(self, output, value)


def child_of(parent: pulumi.Resource, **more: Any) -> pulumi.ResourceOptions:
    """`more` are fields of ResourceOptions."""
    return pulumi.ResourceOptions(parent=parent, delete_before_replace=True, **more)


@cache
def _class_of(token: str) -> Any:
    """The class of a type in its provider's SDK: pulumi_aws.kinesis.Stream for aws:kinesis/stream:Stream."""
    package, module, name = token.split(":")
    folder = module.partition("/")[0]
    return getattr(import_module(f"pulumi_{package}" + ("" if folder == "index" else f".{folder}")), name)


def _within(value: Any, path: list[str]) -> Any:
    """Returns what is at a path of names and numbers."""
    for step in path:
        value = value[int(step)] if step.isdigit() else getattr(value, step)
    return str(value)


def _attribute_names(token: str, path: str) -> Iterator[str]:
    """The SDK's names of the steps of a Terraform path such as `describe_output[0].name`; numbers stay as they are."""
    inside = ""
    for step in re.findall(r"\w+", path):
        inside += "" if step.isdigit() else f".{step}"
        yield step if step.isdigit() else python_name(token, inside[1:])


def until_the_volume_can_be_used(name: str) -> pulumi.ResourceHookBinding | None:
    """Returns a hook that retries the first uses of a role that AWS does not know everywhere yet: only creations whose error
    speaks of the volume or of its role.

    Returns None if the engine can't retry (Pulumi before 3.217).
    """
    if not monitor_supports_feature(resource_pb2.RESOURCE_MONITOR_FEATURE_ERROR_HOOKS):
        return None
    return pulumi.ResourceHookBinding(on_error=[pulumi.ErrorHook(f"{name}-again", try_again)])


async def try_again(failed: pulumi.ErrorHookArgs) -> bool:
    """Says what to do where time did not help."""
    if not can_pass(failed.failed_operation, failed.errors):
        return False
    if len(failed.errors) > TRIES:
        pulumi.error(str(VolumeUnusable(failed.name, tries=len(failed.errors))))
        return False
    await asyncio.sleep(PAUSE_S)
    return True


def can_pass(operation: str, errors: list[str]) -> bool:
    """`errors` are those of all tries so far, the newest first."""
    newest = errors[0].lower() if errors else ""
    return operation == "create" and any(sign in newest for sign in SIGNS)
