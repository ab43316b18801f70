"""A real TLS server on loopback in front of one that speaks plainly: what goes in comes out, both ways."""

import socket
import ssl
import threading
from contextlib import suppress
from typing import Self

from firnline_local.snowflake.tls import Certificates

CHUNK = 65_536


class TlsRelay:
    """Takes connections while the `with` block lasts; one whose handshake fails is dropped, as a server does."""

    def __init__(self, certificates: Certificates, plain_port: int) -> None:
        self._plain_port = plain_port
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificates.cert_file, certificates.key_file)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []

    @property
    def endpoint(self) -> str:
        return f"https://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, name="tls-relay", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._relay, args=(client,), name="tls-relay", daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        try:
            secured = self._context.wrap_socket(client, server_side=True)
        except OSError:  # ssl.SSLError is one: the client does not trust us
            client.close()
            return
        plain = socket.create_connection(("127.0.0.1", self._plain_port))
        self._open += [secured, plain]
        threading.Thread(target=_copy, args=(plain, secured), name="tls-relay", daemon=True).start()
        _copy(secured, plain)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError, ValueError):
        while data := source.recv(CHUNK):
            target.sendall(data)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
