import os
import subprocess
import sys
from pathlib import Path

from firnline_local.pulumi.home import HOST, PulumiHome


def test_the_engine_finds_our_providers_and_our_host_where_it_installs_plugins(tmp_path: Path) -> None:
    home = PulumiHome.write(tmp_path / "home")
    plugins = {path.parent.name: path for path in (home.folder / "plugins").glob("*/*")}
    assert {name.rpartition("-v")[0] for name in plugins} == {"resource-aws", "resource-snowflake", "language-python"}
    aws = plugins["resource-aws-v7.51.1"]
    assert (aws.name, os.access(aws, os.X_OK)) == ("pulumi-resource-aws", True)
    assert aws.read_text().splitlines()[1].startswith(f"exec {sys.executable} -P -m firnline_local.pulumi.engine aws")


def test_a_home_is_written_again_over_an_older_one(tmp_path: Path) -> None:
    home = PulumiHome.write(tmp_path)
    plugin = next((home.folder / "plugins").glob("resource-aws-*/*"))
    plugin.write_text("old")
    assert PulumiHome.write(tmp_path) == home
    assert plugin.read_text() != "old"


def test_a_shim_hands_over_what_the_engine_says(tmp_path: Path) -> None:
    home = PulumiHome.write(tmp_path / "a home")
    host = next((home.folder / "plugins").glob("language-python-*/*"))
    stand_in = tmp_path / "echoes"
    stand_in.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    stand_in.chmod(0o755)
    host.write_text(host.read_text().replace(sys.executable, str(stand_in)))
    said = subprocess.run([host, "127.0.0.1:4711"], capture_output=True, text=True, check=True).stdout.split()
    assert said == ["-P", "-m", "firnline_local.pulumi.engine", "python", "127.0.0.1:4711"]


def test_nothing_of_the_users_reaches_the_engine(tmp_path: Path) -> None:
    around = {
        "PATH": "/bin",
        "AWS_PROFILE": "production",
        "AWS_SECRET_ACCESS_KEY": "real",
        "SNOWFLAKE_PRIVATE_KEY": "real",
        "PULUMI_ACCESS_TOKEN": "real",
        "https_proxy": "http://proxy:3128",
        "FIRNLINE_LOCAL_TOKEN": "ours",
    }
    variables = PulumiHome(tmp_path).variables(backend="file:///s", passphrase="x", environment=around)
    assert "real" not in variables.values()
    assert {"AWS_PROFILE", "https_proxy"} & set(variables) == set()
    assert (variables["PATH"], variables["FIRNLINE_LOCAL_TOKEN"]) == ("/bin", "ours")
    assert variables["PULUMI_HOME"] == str(tmp_path)
    assert variables["AWS_CONFIG_FILE"] == os.devnull


def test_a_cli_that_stands_alone_is_used_where_it_is(tmp_path: Path) -> None:
    cli = tmp_path / "pulumi"
    cli.write_text("")
    assert PulumiHome.write(tmp_path / "home").cli(cli) == cli


def test_a_cli_that_brings_a_host_of_its_own_is_used_from_a_place_without_one(tmp_path: Path) -> None:
    release, home = tmp_path / "release", PulumiHome.write(tmp_path / "home")
    release.mkdir()
    (release / "pulumi").write_text("the engine")
    (release / HOST).write_text("the stock host")
    (tmp_path / "link").symlink_to(release / "pulumi")
    for _ in range(2):
        own = home.cli(tmp_path / "link")
        assert (own.read_text(), own.is_symlink()) == ("the engine", False)
        assert not own.with_name(HOST).exists()
