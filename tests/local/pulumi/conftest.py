"""A provider of the embedded environment, as the engine meets it: over gRPC."""

from collections.abc import Iterator
from concurrent import futures
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from pulumi.runtime.proto import engine_pb2_grpc, provider_pb2, provider_pb2_grpc

from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.engine.server import serving
from firnline_local.pulumi.engine.servicer import EngineLog, Servicer
from firnline_local.pulumi.properties import decode, encode

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

Values = dict[str, Any]


class Engine(engine_pb2_grpc.EngineServicer):
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self._server = grpc.server(futures.ThreadPoolExecutor(1))
        engine_pb2_grpc.add_EngineServicer_to_server(self, self._server)
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    def __enter__(self) -> "Engine":
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop(0).wait()

    def Log(self, request: Any, context: Any) -> Any:
        from google.protobuf import empty_pb2

        self.messages.append(request.message)
        return empty_pb2.Empty()


class Provider:
    """The engine's side: messages out of plain values, and back."""

    def __init__(self, port: int) -> None:
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.stub = provider_pb2_grpc.ResourceProviderStub(self._channel)

    def close(self) -> None:
        self._channel.close()

    def configure(self, **arguments: str) -> Any:
        return self.stub.Configure(provider_pb2.ConfigureRequest(args=encode(arguments)))

    def check(
        self, token: str, inputs: Values, *, name: str = "it", old: Values | None = None
    ) -> tuple[Values, Values]:
        request = provider_pb2.CheckRequest(urn=urn(token, name), news=encode(inputs), olds=encode(old or {}))
        answer = self.stub.Check(request)
        return decode(answer.inputs), {failure.property: failure.reason for failure in answer.failures}

    def diff(self, token: str, *, old: Values, new: Values, state: Values) -> Any:
        return self.stub.Diff(
            provider_pb2.DiffRequest(
                urn=urn(token), id="id", old_inputs=encode(old), news=encode(new), olds=encode(state)
            )
        )

    def create(self, token: str, inputs: Values, *, preview: bool = False) -> tuple[str, Values]:
        request = provider_pb2.CreateRequest(urn=urn(token), properties=encode(inputs), preview=preview)
        answer = self.stub.Create(request)
        return answer.id, decode(answer.properties)

    def read(self, token: str, id_: str, *, inputs: Values, state: Values) -> tuple[str, Values, Values]:
        request = provider_pb2.ReadRequest(urn=urn(token), id=id_, inputs=encode(inputs), properties=encode(state))
        answer = self.stub.Read(request)
        return answer.id, decode(answer.properties), decode(answer.inputs)

    def update(self, token: str, id_: str, *, old: Values, new: Values, state: Values, preview: bool = False) -> Values:
        request = provider_pb2.UpdateRequest(
            urn=urn(token), id=id_, old_inputs=encode(old), news=encode(new), olds=encode(state), preview=preview
        )
        return decode(self.stub.Update(request).properties)

    def delete(self, token: str, id_: str, state: Values) -> None:
        self.stub.Delete(provider_pb2.DeleteRequest(urn=urn(token), id=id_, properties=encode(state)))


def urn(token: str, name: str = "it") -> str:
    return f"urn:pulumi:dev::firnline::firnline:index:Component${token}::{name}"


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.fixture
def aws(local_environment: "RunningEnvironment") -> Iterator[Provider]:
    yield from _provider("aws", local_environment)


@pytest.fixture
def snowflake(local_environment: "RunningEnvironment") -> Iterator[Provider]:
    yield from _provider("snowflake", local_environment)


def _provider(package: str, environment: "RunningEnvironment") -> Iterator[Provider]:
    with serving(Servicer(Cloud(package, environment), EngineLog())) as port:
        provider = Provider(port)
        yield provider
        provider.close()
