"""pulumirpc.ResourceProvider over the embedded environment: decodes, asks the Cloud, encodes.

An error of ours becomes the engine's diagnostic, as it is. A preview makes nothing, and says UNKNOWN where only the service
knows.
"""

# ruff: noqa: N802 (the service's names are its protocol's)

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Never

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc, plugin_pb2, provider_pb2, provider_pb2_grpc

from firnline_ingest.errors import FirnlineError
from firnline_local.pulumi.cloud import Cloud, made_up_name
from firnline_local.pulumi.diff import Change, ChangeKind, is_in_the_way
from firnline_local.pulumi.properties import UNKNOWN, decode, encode, secrets_in
from firnline_local.pulumi.schema import fields_of

EMBEDDED = "EMBEDDED: aws and snowflake are the embedded environment in {}; nothing is made in a real account."
KINDS = {
    (ChangeKind.ADD, False): provider_pb2.PropertyDiff.ADD,
    (ChangeKind.ADD, True): provider_pb2.PropertyDiff.ADD_REPLACE,
    (ChangeKind.DELETE, False): provider_pb2.PropertyDiff.DELETE,
    (ChangeKind.DELETE, True): provider_pb2.PropertyDiff.DELETE_REPLACE,
    (ChangeKind.UPDATE, False): provider_pb2.PropertyDiff.UPDATE,
    (ChangeKind.UPDATE, True): provider_pb2.PropertyDiff.UPDATE_REPLACE,
}


class EngineLog:
    """The channel from a provider to the person who runs the engine. Silent until it is attached to one."""

    def __init__(self) -> None:
        self._channel: grpc.Channel | None = None
        self._address = ""

    def attach(self, address: str) -> None:
        """`address`: the engine's, on loopback. A second one replaces the first."""
        self.close()
        self._channel, self._address = grpc.insecure_channel(address), address

    def warn(self, message: str) -> None:
        if self._channel is not None:
            request = engine_pb2.LogRequest(severity=engine_pb2.WARNING, message=message)
            engine_pb2_grpc.EngineStub(self._channel).Log(request)

    def warn_once(self, message: str, *, notes: Path) -> None:
        """Warns once for each engine, however many providers it has. `notes` is a folder that all of them share."""
        note = notes / f"warned-{os.getppid()}-{self._address.rpartition(':')[2]}"
        try:
            note.touch(exist_ok=False)
        except FileExistsError:
            return
        self.warn(message)

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None


class Servicer(provider_pb2_grpc.ResourceProviderServicer):
    def __init__(self, cloud: Cloud, log: EngineLog) -> None:
        self._cloud = cloud
        self._log = log

    def close(self) -> None:
        self._cloud.close()
        self._log.close()

    def Handshake(self, request: Any, context: Any) -> Any:
        if request.engine_address:
            self._log.attach(request.engine_address)
        return provider_pb2.ProviderHandshakeResponse(supports_autonaming_configuration=True)

    def Attach(self, request: Any, context: Any) -> Any:
        self._log.attach(request.address)
        return empty_pb2.Empty()

    def GetPluginInfo(self, request: Any, context: Any) -> Any:
        return plugin_pb2.PluginInfo(version=self._version)

    def GetSchema(self, request: Any, context: Any) -> Any:
        schema = {"name": self._cloud.package, "version": self._version}
        return provider_pb2.GetSchemaResponse(schema=json.dumps(schema))

    def CheckConfig(self, request: Any, context: Any) -> Any:
        problems = self._cloud.configuration_problems(decode(request.news))
        return provider_pb2.CheckResponse(inputs=request.news, failures=_failures(problems))

    def DiffConfig(self, request: Any, context: Any) -> Any:
        """Says that nothing is replaced: whatever changes, it stays the provider of the same environment."""
        is_same = decode(request.old_inputs) == decode(request.news)
        unchanged, changed = provider_pb2.DiffResponse.DIFF_NONE, provider_pb2.DiffResponse.DIFF_SOME
        return provider_pb2.DiffResponse(changes=unchanged if is_same else changed)

    def Configure(self, request: Any, context: Any) -> Any:
        with _answering(context):
            self._cloud.configure({**_of_variables(self._cloud.package), **decode(request.args)})
        folder = self._cloud.folder
        self._log.warn_once(EMBEDDED.format(folder.path), notes=folder.logs)
        return provider_pb2.ConfigureResponse(supportsPreview=True, supports_autonaming_configuration=True)

    def Check(self, request: Any, context: Any) -> Any:
        token, name = _named(request.urn)
        with _answering(context):
            inputs, problems = self._cloud.check(
                token,
                decode(request.news),
                old=decode(request.olds),
                proposed_name=_proposed_name(request, name),
                secrets=secrets_in(request.news),
            )
        return provider_pb2.CheckResponse(inputs=encode(inputs), failures=_failures(problems))

    def Diff(self, request: Any, context: Any) -> Any:
        token, _ = _named(request.urn)
        old, new, state = decode(request.old_inputs), decode(request.news), decode(request.olds)
        with _answering(context):
            found = self._cloud.diff(token, old=old, state=state, new=new)
        found = [change for change in found if change.property not in request.ignoreChanges]
        return _diff_response(found, is_in_the_way=is_in_the_way(token, old=old, new=new))

    def Create(self, request: Any, context: Any) -> Any:
        token, name = _named(request.urn)
        inputs = decode(request.properties)
        if request.preview:
            made_there = {name: UNKNOWN for name, field in fields_of(token).items() if field.computed}
            return provider_pb2.CreateResponse(properties=encode({**made_there, **inputs}))
        with _answering(context):
            made = self._cloud.create(token, name, inputs)
        return provider_pb2.CreateResponse(id=made.id, properties=encode(made.properties))

    def Read(self, request: Any, context: Any) -> Any:
        token, name = _named(request.urn)
        inputs, properties = decode(request.inputs), decode(request.properties)
        with _answering(context):
            found = self._cloud.read(token, name, request.id, inputs=inputs, properties=properties)
        if found is None:
            return provider_pb2.ReadResponse()
        answer = {**found.inputs, **found.properties}
        return provider_pb2.ReadResponse(id=found.id, properties=encode(answer), inputs=encode(found.inputs))

    def Update(self, request: Any, context: Any) -> Any:
        token, name = _named(request.urn)
        old, new = decode(request.old_inputs), decode(request.news)
        if request.preview:
            kept = {name: value for name, value in decode(request.olds).items() if name not in old}
            return provider_pb2.UpdateResponse(properties=encode({**kept, **new}))
        with _answering(context):
            properties = self._cloud.update(token, name, request.id, old=old, new=new)
        return provider_pb2.UpdateResponse(properties=encode(properties))

    def Delete(self, request: Any, context: Any) -> Any:
        token, name = _named(request.urn)
        with _answering(context):
            self._cloud.delete(token, name, request.id, decode(request.properties))
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: Any) -> Any:
        with _answering(context):
            answer = self._cloud.invoke(request.tok)
        return provider_pb2.InvokeResponse(**{"return": encode(answer)})

    def Cancel(self, request: Any, context: Any) -> Any:
        """Every call here ends soon by itself."""
        return empty_pb2.Empty()

    @property
    def _version(self) -> str:
        return version(f"pulumi-{self._cloud.package}")


def _of_variables(package: str) -> dict[str, str]:
    """Returns what the stock provider takes from a variable where no program says it; of the rest nothing counts here."""
    role = os.environ.get("SNOWFLAKE_ROLE")
    return {"role": role} if package == "snowflake" and role else {}


def _named(urn: str) -> tuple[str, str]:
    """The type's token, and the logical name."""
    _, _, types, name = urn.split("::", 3)
    return types.rpartition("$")[2], name


def _proposed_name(request: Any, name: str) -> str:
    """Empty where the stack's autonaming is off."""
    if not request.HasField("autonaming"):
        return made_up_name(name, request.randomSeed)
    is_off = request.autonaming.mode == provider_pb2.CheckRequest.AutonamingOptions.DISABLE
    return "" if is_off else str(request.autonaming.proposed_name)


def _failures(problems: list[str]) -> list[Any]:
    parts = [problem.partition(": ") for problem in problems]
    return [provider_pb2.CheckFailure(property=path, reason=f"{path}: {why}") for path, _, why in parts]


def _diff_response(found: list[Change], *, is_in_the_way: bool) -> Any:
    replaces = [change.property for change in found if change.replaces]
    response = provider_pb2.DiffResponse(
        changes=provider_pb2.DiffResponse.DIFF_SOME if found else provider_pb2.DiffResponse.DIFF_NONE,
        diffs=[change.property for change in found],
        replaces=replaces,
        deleteBeforeReplace=bool(replaces) and is_in_the_way,
        hasDetailedDiff=True,
    )
    for change in found:
        kind = KINDS[change.kind, change.replaces]
        response.detailedDiff[change.property].CopyFrom(provider_pb2.PropertyDiff(kind=kind, inputDiff=True))
    return response


@contextmanager
def _answering(context: Any) -> Iterator[None]:
    try:
        yield
    except FirnlineError as error:
        _refuse(context, str(error))


def _refuse(context: Any, message: str) -> Never:
    context.abort(grpc.StatusCode.UNKNOWN, message)
    raise AssertionError("abort raises")
