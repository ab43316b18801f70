"""Programs under Pulumi's mocks: what they register, with which inputs and options, once all of it is registered.

A mock says what we ask for, not that a cloud would give it; the inputs are therefore checked against the providers' schemas
as well, for every resource of every test here.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pulumi
import pytest
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockMonitor, MockResourceArgs, Mocks, set_mocks
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import set_root_resource
from pulumi.runtime.stack import run_in_stack
from pulumi.runtime.sync_await import _sync_await

from firnline_infra.pulumi import environment, providers
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.checks import problems
from firnline_local.pulumi.validate import check_inputs

ENVIRONMENTS = Path(__file__).parents[3] / "stacks" / "environments"
IAM_USER = "arn:aws:iam::999988887777:user/snowflake"
VOLUME, EXECUTE = "snowflake:index/externalVolume:ExternalVolume", "snowflake:index/execute:Execute"


@dataclass(frozen=True, kw_only=True)
class Registered:
    """One resource, as it was asked for."""

    type: str
    name: str
    inputs: Mapping[str, Any]
    parent: str
    inside: str
    """The types of the components that it is in, as its URN has them."""
    protect: bool
    delete_before_replace: bool
    retain_on_delete: bool
    ignore_changes: tuple[str, ...]
    import_id: str
    after: frozenset[str]
    """The logical names of all that it depends on."""
    is_tried_again: bool

    @property
    def is_made(self) -> bool:
        """By a provider: neither a component nor a provider itself."""
        return not self.type.startswith(("firnline:", "pulumi:"))


@dataclass
class Deployment:
    resources: list[Registered] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)

    @property
    def made(self) -> list[Registered]:
        return sorted((each for each in self.resources if each.is_made), key=lambda each: each.name)

    @property
    def children(self) -> dict[str, str]:
        """The types of what a provider makes, by name."""
        return {each.name: each.type for each in self.made}

    def __getitem__(self, name: str) -> Registered:
        (found,) = [each for each in self.resources if each.name == name]
        return found

    def of(self, type_: str) -> list[Registered]:
        """By the last part of the type: Stream."""
        return [each for each in self.made if each.type.rpartition(":")[2] == type_]


class Cloud(Mocks):
    """Gives every resource an id, and the outputs that others need."""

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        outputs = dict(args.inputs)
        if args.typ.startswith("aws:"):
            outputs |= {"arn": f"arn:aws:of:::{args.name}", "keyId": f"id-of-{args.name}"}
        if args.typ == VOLUME:
            place = {"s3StorageLocations": [{"storageAwsIamUserArn": IAM_USER}]}
            outputs["describeOutputs"] = [{"storageLocations": [place]}]
        if args.typ == EXECUTE:
            outputs["queryResults"] = [{"answer": "{}"}]
        return f"{args.name}-id", outputs

    def call(self, args: Any) -> tuple[dict[str, Any], None]:
        raise AssertionError(f"nothing is looked up: {args.token}")


class Recorder(MockMonitor):
    def __init__(self, stacks: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(Cloud())
        self.deployment = Deployment()
        self._stacks = stacks

    def RegisterResource(self, request: Any) -> Any:
        answer = super().RegisterResource(request)
        if request.type != "pulumi:pulumi:Stack":
            self.deployment.resources.append(_registered(request))
        return answer

    def RegisterResourceOutputs(self, request: Any) -> Any:
        if request.urn.split("::")[2] == "pulumi:pulumi:Stack":
            self.deployment.outputs = _whole(rpc.deserialize_properties(request.outputs))
        return super().RegisterResourceOutputs(request)

    def ReadResource(self, request: Any) -> Any:
        if request.type != "pulumi:pulumi:StackReference":
            return super().ReadResource(request)
        state = {"name": request.name, "outputs": self._stacks[request.name], "secretOutputNames": []}
        properties = _sync_await(rpc.serialize_properties(state, {}))
        urn = self.make_urn(request.parent, request.type, request.name)
        return resource_pb2.ReadResourceResponse(urn=urn, properties=properties)


def _registered(request: Any) -> Registered:
    inputs = _whole(rpc.deserialize_properties(request.object))
    return Registered(
        type=request.type,
        name=request.name,
        inputs={name: value for name, value in inputs.items() if value is not None},
        parent=_name(request.parent),
        inside=request.parent.split("::")[2].removeprefix("pulumi:pulumi:Stack$") if request.parent else "",
        protect=request.protect,
        delete_before_replace=request.deleteBeforeReplace,
        retain_on_delete=request.retainOnDelete,
        ignore_changes=tuple(request.ignoreChanges),
        import_id=request.importId,
        after=frozenset(map(_name, request.dependencies)),
        is_tried_again=bool(request.hooks.on_error),
    )


def _name(urn: str) -> str:
    return urn.split("::", 3)[-1]


def _whole(value: Any) -> Any:
    """Every number arrives as a float."""
    if isinstance(value, Mapping):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class Deploy(Protocol):
    def __call__(
        self,
        program: Callable[[], object],
        *,
        preview: bool = False,
        config: Mapping[str, str] | None = None,
        stacks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Deployment: ...


@pytest.fixture
def deploy() -> Deploy:
    """Runs a program to its very end."""
    return _deploy


def _deploy(
    program: Callable[[], object],
    *,
    preview: bool = False,
    config: Mapping[str, str] | None = None,
    stacks: Mapping[str, Mapping[str, Any]] | None = None,
) -> Deployment:
    recorder = Recorder(stacks or {})

    def run() -> None:
        with _event_loop() as loop:
            set_mocks(Cloud(), "firnline", "test", preview, monitor=recorder, organization="acme")
            set_root_resource(None)  # run_in_stack makes its own, which has the outputs
            pulumi.runtime.set_all_config(dict(config or {}), [])
            loop.run_until_complete(run_in_stack(lambda: program() and None))

    Context().run(run)  # Pulumi's settings are context variables
    made = recorder.deployment
    wrong = {each.name: problems for each in made.made if (problems := check_inputs(each.type, each.inputs))}
    assert wrong == {}
    return made


@contextmanager
def _event_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """The mocks want a loop in each thread that they are called from, and leave it open."""
    loops = [asyncio.new_event_loop()]

    def give_a_loop() -> None:
        loops.append(asyncio.new_event_loop())
        asyncio.set_event_loop(loops[-1])

    asyncio.set_event_loop(loops[0])
    loops[0].set_default_executor(ThreadPoolExecutor(2, initializer=give_a_loop))
    try:
        yield loops[0]
    finally:
        loops[0].run_until_complete(loops[0].shutdown_default_executor())
        asyncio.set_event_loop(None)
        for loop in loops:
            loop.close()


class SpecOf(Protocol):
    def __call__(self, name: str, **changes: Any) -> EnvironmentSpec: ...


@pytest.fixture
def spec_of() -> SpecOf:
    """An environment's specification. Changes go into its sections: aws={"permissions_boundary": …}."""
    return _spec_of


def _spec_of(name: str, **changes: Any) -> EnvironmentSpec:
    spec = load_spec(ENVIRONMENTS / f"{name}.yaml")
    document = spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    for section, values in changes.items():
        document[section] = {**document.get(section, {}), **values} if isinstance(values, dict) else values
    changed = EnvironmentSpec.model_validate(document, strict=None)
    assert list(problems(changed)) == []
    return changed


def program(spec: EnvironmentSpec) -> Callable[[], None]:
    """Returns the whole environment as a program, with its outputs."""

    def run() -> None:
        outputs = environment(spec, pulumi.ResourceOptions(providers=providers(spec)))
        for name, value in outputs.given().items():
            pulumi.export(name, value)

    return run


@cache
def deployed(name: str) -> Deployment:
    """Returns what an environment's own specification registers, run once in a process: nobody may change it."""
    return _deploy(program(_spec_of(name)))
