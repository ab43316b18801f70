"""What a provider says to the person who runs the engine."""

import os
from pathlib import Path

import grpc
from pulumi.runtime.proto import engine_pb2, engine_pb2_grpc


class EngineLog:
    """Silent until it is attached to an engine."""

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
        """Once for each engine, however many providers it has. `notes`: a folder that all of them share."""
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
