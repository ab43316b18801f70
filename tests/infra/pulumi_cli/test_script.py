"""scripts/pulumi-cli, with stand-ins for curl and go: no network, no build."""

import hashlib
import io
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "pulumi-cli"
PROVIDED = "3.250.0"
TOOLS = [
    "awk",
    "chmod",
    "cp",
    "cut",
    "dirname",
    "gzip",
    "mkdir",
    "mktemp",
    "mv",
    "rm",
    "sed",
    "sh",
    "sha256sum",
    "shasum",
    "tar",
    "tr",
    "uname",
]
CLI = "#!/bin/sh\necho v{version}\n"
NO_NETWORK = "#!/bin/sh\nexit 6\n"
BUILDS = f"""#!/bin/sh
while [ "$1" != -o ]; do shift; done
mkdir -p "$(dirname "$2")"
printf '#!/bin/sh\\necho v{PROVIDED}\\n' > "$2"
chmod +x "$2"
"""
SERVES = """#!/bin/sh
for argument; do
    case $argument in https://*) url=$argument ;; esac
    [ "${last:-}" != -o ] || out=$argument
    last=$argument
done
echo "$url" >> SERVED/asked
cp "SERVED/${url##*/}" "$out"
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A PATH with the usual tools, and neither pulumi nor go; curl finds no network."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in TOOLS:
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    put(tools / "curl", NO_NETWORK)
    return tmp_path


def put(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def run(machine: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, *arguments],
        env={
            "PATH": str(machine / "bin"),
            "HOME": str(machine),
            "XDG_CACHE_HOME": str(machine / "cache"),
        },
        capture_output=True,
        text=True,
        check=False,
    )


def cached(machine: Path) -> Path:
    return machine / "cache" / "firnline" / f"pulumi-{PROVIDED}" / "pulumi"


def test_a_cli_on_the_path_is_used_and_nothing_is_made(machine: Path) -> None:
    put(machine / "bin" / "pulumi", CLI.format(version="3.226.1"))
    ran = run(machine)
    assert (ran.returncode, ran.stdout) == (0, "")
    assert "Pulumi CLI 3.226.1" in ran.stderr
    assert not (machine / "cache").exists()
    assert run(machine, "--where").stdout == f"{machine / 'bin' / 'pulumi'}\n"


def test_without_network_and_go_it_says_what_to_install(machine: Path) -> None:
    ran = run(machine)
    assert ran.returncode == 2
    assert "Next: install Pulumi 3.226.1 or newer" in ran.stderr
    assert list((machine / "cache" / "firnline").glob("unfinished*")) == []


def test_it_is_built_once_where_it_can_not_be_downloaded(machine: Path) -> None:
    put(machine / "bin" / "pulumi", CLI.format(version="3.226.0"))
    put(machine / "bin" / "go", BUILDS)
    first = run(machine)
    assert (first.returncode, cached(machine).exists()) == (0, True)
    assert "3.226.1 is the oldest that will do" in first.stderr
    assert "about 4 minutes" in first.stderr
    put(machine / "bin" / "go", "#!/bin/sh\nexit 1\n")
    second = run(machine, "--where")
    assert (second.returncode, second.stdout) == (0, f"{cached(machine)}\n")


def test_a_go_that_fails_leaves_nothing_and_says_what_to_do(machine: Path) -> None:
    put(machine / "bin" / "go", "#!/bin/sh\necho 'no such module' >&2\nexit 1\n")
    ran = run(machine)
    assert ran.returncode == 2
    assert "no such module" in ran.stderr
    assert "GOPROXY" in ran.stderr
    assert [path.name for path in (machine / "cache" / "firnline").iterdir()] == [f"pulumi-{PROVIDED}"]
    assert not cached(machine).exists()


def serve_release(machine: Path, *, checksum_of: bytes | None = None) -> None:
    """Serves what the official site has, for every platform that the script may ask for."""
    served = machine / "served"
    served.mkdir()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        for name in ("pulumi", "pulumi-language-python"):
            content = CLI.format(version=PROVIDED).encode()
            entry = tarfile.TarInfo(f"pulumi/{name}")
            entry.size, entry.mode = len(content), 0o755
            tar.addfile(entry, io.BytesIO(content))
    checksums = []
    for platform in ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"):
        name = f"pulumi-v{PROVIDED}-{platform}.tar.gz"
        (served / name).write_bytes(archive.getvalue())
        checksums.append(f"{hashlib.sha256(checksum_of or archive.getvalue()).hexdigest()}  {name}\n")
    (served / f"pulumi-{PROVIDED}-checksums.txt").write_text("".join(checksums))
    put(machine / "bin" / "curl", SERVES.replace("SERVED", str(served)))


def test_the_release_is_taken_whole_where_it_can_be_downloaded(machine: Path) -> None:
    serve_release(machine)
    ran = run(machine, "--where")
    assert (ran.returncode, ran.stdout) == (0, f"{cached(machine)}\n")
    assert sorted(path.name for path in cached(machine).parent.iterdir()) == ["pulumi", "pulumi-language-python"]


def test_a_release_whose_checksum_is_another_is_not_used(machine: Path) -> None:
    serve_release(machine, checksum_of=b"something else")
    ran = run(machine)
    assert ran.returncode == 2
    assert "checksum" in ran.stderr
    assert not cached(machine).exists()


def test_it_asks_the_official_site_and_names_no_registry() -> None:
    text = SCRIPT.read_text()
    assert "releases=https://get.pulumi.com/releases/sdk\n" in text
    assert "proxy.golang" not in text
