"""The engine's face to a program, as the Pulumi SDK calls it, without a connection between them.

Requests and answers are the protocol's own messages. What only the real engine does (references to stacks, look-ups, transforms,
hooks, components in other languages) is not announced or is refused; nothing is ignored.
"""

# ruff: noqa: N802 (the service's names are its protocol's)

import logging
from typing import Any

from google.protobuf import empty_pb2
from pulumi.runtime.proto import engine_pb2, resource_pb2

from firnline_local.pulumi.errors import NotInProcess
from firnline_local.pulumi.in_process.deployment import Deployment, ResourceGoal
from firnline_local.pulumi.in_process.state_document import StateDocument
from firnline_local.pulumi.properties import decode, encode, secrets_in

FEATURES = (
    resource_pb2.RESOURCE_MONITOR_FEATURE_SECRETS,
    resource_pb2.RESOURCE_MONITOR_FEATURE_ALIAS_SPECS,
    resource_pb2.RESOURCE_MONITOR_FEATURE_DELETED_WITH,
    resource_pb2.RESOURCE_MONITOR_FEATURE_REPLACE_WITH,
)
STACK, PROVIDER = "pulumi:pulumi:Stack", "pulumi:providers:"
PROVIDER_ID = "in-process"
LOG = logging.getLogger(__name__)
LEVELS = {
    engine_pb2.DEBUG: logging.DEBUG,
    engine_pb2.INFO: logging.INFO,
    engine_pb2.WARNING: logging.WARNING,
    engine_pb2.ERROR: logging.ERROR,
}


class Monitor:
    """One run of one program."""

    def __init__(self, deployment: Deployment, *, project: str, stack: str) -> None:
        self.outputs: dict[str, Any] = {}
        self.state = StateDocument()
        self._deployment = deployment
        self._prefix = f"urn:pulumi:{stack}::{project}::"
        self._failure: Exception | None = None

    def GetDeploymentInfo(self, request: Any) -> Any:
        return resource_pb2.DeploymentInfo(supportedFeatures=FEATURES)

    def RegisterResource(self, request: Any) -> Any:
        if self._failure is not None:
            raise self._failure  # one thing after the other: nothing is begun after a failure
        try:
            return self._register(request)
        except Exception as error:
            self._failure = error
            raise

    def RegisterResourceOutputs(self, request: Any) -> Any:
        outputs = decode(request.outputs)
        if self._type_of(request.urn) == STACK:
            self.outputs = outputs
        self.state.keep_outputs(request.urn, outputs)
        return empty_pb2.Empty()

    def Invoke(self, request: Any) -> Any:
        answer = self._deployment.cloud(request.tok, request.provider).invoke(request.tok)
        return resource_pb2.ResourceInvokeResponse(**{"return": encode(answer)})

    def SignalAndWaitForShutdown(self, request: Any) -> Any:
        return empty_pb2.Empty()

    def __getattr__(self, name: str) -> Any:
        raise NotInProcess(f"the engine's {name}")

    def _register(self, request: Any) -> Any:
        urn = self._urn(request)
        if request.remote:
            raise NotInProcess(f"{request.type}, a component that a plugin makes")
        if not request.custom:
            self.state.keep_component(urn, request)
            return resource_pb2.RegisterResourceResponse(urn=urn, object=request.object)
        if request.type.startswith(PROVIDER):
            reference, package = f"{urn}::{PROVIDER_ID}", request.type.removeprefix(PROVIDER)
            self._deployment.configure(reference, package, decode(request.object))
            self.state.keep_provider(urn, PROVIDER_ID, request)
            return resource_pb2.RegisterResourceResponse(urn=urn, id=PROVIDER_ID, object=request.object)
        secrets = (*sorted(secrets_in(request.object)), *request.additionalSecretOutputs)
        record = self._deployment.register(
            ResourceGoal(
                urn=urn,
                token=request.type,
                name=request.name,
                inputs=decode(request.object),
                provider=request.provider,
                secrets=secrets,
                import_id=request.importId,
                ignored=frozenset(request.ignoreChanges),
                is_protected=request.protect,
                is_retained=request.retainOnDelete,
            )
        )
        self.state.keep_resource(record, request)
        answer = encode(record.properties, secrets=secrets)
        return resource_pb2.RegisterResourceResponse(urn=urn, id=record.id, object=answer)

    def _urn(self, request: Any) -> str:
        parent = self._types_of(request.parent) if request.parent else ""
        types = request.type if parent in ("", STACK) else f"{parent}${request.type}"
        return f"{self._prefix}{types}::{request.name}"

    @staticmethod
    def _types_of(urn: str) -> str:
        return urn.split("::", 3)[2]

    def _type_of(self, urn: str) -> str:
        return self._types_of(urn).rpartition("$")[2]


class Engine:
    """Takes what a program logs."""

    def Log(self, request: Any) -> Any:
        LOG.log(LEVELS.get(request.severity, logging.INFO), "%s", request.message)
        return empty_pb2.Empty()

    def RequirePulumiVersion(self, request: Any) -> Any:
        return empty_pb2.Empty()
