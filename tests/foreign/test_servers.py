"""The pins of the foreign servers: each one exact, with its checksum, and from whatever registry the machine has."""

import json
import re
import socket
import time
from pathlib import Path

import pytest

from tests.foreign.servers import (
    APICURIO,
    DYNALITE,
    GATEWAY,
    KCL,
    KINESALITE,
    KINESIS_MOCK,
    PACKAGES,
    PINS,
    REGISTRY,
    VERSITYGW,
    ForeignServer,
    Provision,
    installed,
    running,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "design" / "foreign-servers.md"
SCRIPT = (ROOT / "scripts" / "foreign-servers").read_text()
MODULE = "github.com/versity/versitygw"
LOCKED = {
    name.rpartition("node_modules/")[2]: package
    for name, package in json.loads((PINS / PACKAGES.pins).read_text())["packages"].items()
    if name
}


def test_every_package_is_pinned_by_its_checksum_and_no_registry_is_named() -> None:
    assert {name for name, package in LOCKED.items() if not re.match(r"sha512-", package.get("integrity", ""))} == set()
    assert {name for name, package in LOCKED.items() if "resolved" in package} == set()


def test_the_page_says_the_version_and_the_licence_of_each_server() -> None:
    servers = json.loads((PINS / "package.json").read_text())["dependencies"]
    lines = PAGE.read_text().splitlines()
    for name, version in servers.items():
        facts = f"| {version} | {LOCKED[name]['license']} |"
        assert any(name in line and facts in line for line in lines), (name, facts)


def test_the_gateway_is_built_from_the_version_that_page_and_script_name() -> None:
    (version,) = re.findall(rf"^\s+{re.escape(MODULE)} v(\S+)", (PINS / "versitygw" / "go.mod").read_text(), re.M)
    assert f"{MODULE} v{version} h1:" in (PINS / GATEWAY.pins).read_text()
    assert f"versitygw={version} " in SCRIPT
    assert f"| {version} | Apache-2.0 | S3" in PAGE.read_text()


def test_the_library_is_the_version_that_the_page_names() -> None:
    jars = (PINS / KCL.pins).read_text()
    (version,) = re.findall(r"  amazon-kinesis-client-(\d.*)\.jar$", jars, re.M)
    assert (
        f"<artifactId>amazon-kinesis-client</artifactId><version>{version}</version>"
        in (PINS / "kcl/pom.xml").read_text()
    )
    assert f"| {version} | Apache-2.0 | nothing: it is AWS's own consumer" in PAGE.read_text()


def test_the_registry_is_the_version_that_page_script_and_tests_name() -> None:
    (version,) = re.findall(r"  apicurio-registry-app-(\S+)-all\.tar\.gz$", (PINS / REGISTRY.pins).read_text(), re.M)
    assert f"apicurio={version} " in SCRIPT
    assert APICURIO.program == f"apicurio-registry-app-{version}-runner.jar"
    assert f"| {version} | Apache-2.0 | a Confluent-compatible" in PAGE.read_text()


@pytest.mark.parametrize("provision", [PACKAGES, GATEWAY, KCL, REGISTRY], ids=lambda each: each.folder)
def test_the_script_puts_each_part_where_the_tests_look_for_it(provision: Provision) -> None:
    assert f"place_of {provision.folder} {provision.pins})" in SCRIPT


def test_without_node_or_without_a_part_a_test_is_skipped_and_in_ci_it_fails(tmp_path: Path) -> None:
    nothing = {"PATH": str(tmp_path), "HOME": str(tmp_path)}
    for provision, missing in ((PACKAGES, "node"), (GATEWAY, "versitygw-"), (KCL, "javac"), (REGISTRY, "java")):
        with pytest.raises(pytest.skip.Exception, match=f"{missing}.* is missing: scripts/foreign-servers"):
            installed(provision, nothing)
        with pytest.raises(pytest.fail.Exception, match=f"{missing}.* is missing"):
            installed(provision, {**nothing, "CI": "true"})


@pytest.mark.parametrize("server", [KINESIS_MOCK, KINESALITE, DYNALITE, VERSITYGW], ids=lambda each: each.name)
def test_a_client_that_ends_in_the_middle_of_its_request_ends_no_server(server: ForeignServer, tmp_path: Path) -> None:
    request = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"
    with running(server, tmp_path) as url:
        port = int(url.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(request)
            time.sleep(0.2)  # the server has begun to read it
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(request[:-1].replace(b"100", b"0"))
            assert client.recv(5) == b"HTTP/", (tmp_path / f"{server.name}.log").read_text()
