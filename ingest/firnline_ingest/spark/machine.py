"""Is this machine able to run the driver: Java, Spark, a folder for the checkpoint, and the HTTP proxy where there is one."""

import http.client
import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from firnline_ingest.environment_proxy import address_of, login_headers, proxy_for, without_login
from firnline_ingest.errors import EnvironmentalError, declared
from firnline_ingest.proxy import ProxyUnreachable, host_asked, refusal_of

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig

PROXY_TIMEOUT_S = 5.0
LEAST_JAVA = 17
LEAST_FREE_BYTES = 200 * 1024 * 1024


@declared
class JavaMissing(EnvironmentalError):
    found: str

    id = "FL-1101"
    message = f"Spark needs Java {LEAST_JAVA} or newer; {{found}}."
    next_step = (
        "install one (Debian, Ubuntu: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk@17) "
        "and let JAVA_HOME or PATH name it."
    )
    causes = "No Java 17 or newer"
    remedy = "install one; `JAVA_HOME` wins over `PATH`"


class SparkMissing(EnvironmentalError):
    id = "FL-1102"
    causes = "Pyspark is not installed"
    remedy = "`pip install 'firnline-ingest[spark]'`, or spark-submit"

    def __init__(self) -> None:
        super().__init__(
            "pyspark is not installed in this Python.",
            next_step="pip install 'firnline-ingest[spark]', or start the engine with a cluster's spark-submit.",
        )


@declared
class FolderUnusable(EnvironmentalError):
    folder: Path
    cause: str

    id = "FL-1103"
    message = "The folder {folder} can't be used: {cause}."
    next_step = "make room, make it writable for this user, or name another one in the configuration."
    causes = "A folder that is to be written is full or not writable"
    remedy = "make room, or name another one"


def check_java() -> str:
    """Java's version. Raises JavaMissing."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None or not Path(java).exists():
        raise JavaMissing("none was found" if not home else f"JAVA_HOME ({home}) holds none")
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)[^"]*"', answer.stderr)
    if version is None or int(version[1]) < LEAST_JAVA:
        raise JavaMissing(f"found {version[0] if version else 'one that does not tell its version'} ({java})")
    return version[0]


def check_spark() -> None:
    """Raises SparkMissing."""
    if importlib.util.find_spec("pyspark") is None:
        raise SparkMissing()


def make_folder(folder: Path) -> None:
    """Raises FolderUnusable, as `check_folder`."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderUnusable(folder, error.strerror or str(error)) from error
    check_folder(folder)


def check_folder(folder: Path) -> None:
    """Raises FolderUnusable where nothing could be written, or where it would soon be full. Makes nothing: of a folder
    that is not there yet, the nearest one above is looked at.
    """
    try:
        there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
        free = shutil.disk_usage(there).free
    except OSError as error:
        raise FolderUnusable(folder, error.strerror or str(error)) from error
    if not there.is_dir():
        raise FolderUnusable(folder, f"{there} is a file")
    if not os.access(there, os.W_OK | os.X_OK):
        raise FolderUnusable(folder, "it is not writable" if there == folder else f"{there} is not writable")
    if free < LEAST_FREE_BYTES:
        raise FolderUnusable(folder, f"{free // 1024**2} MiB are free, {LEAST_FREE_BYTES // 1024**2} are needed")


def check_proxy(config: "EngineConfig") -> str:
    """Asks the proxy for a way to Snowflake, or to Kinesis where Snowflake is asked without it, and returns what there is. Raises
    ProxyLoginRefused, ProxyForbids or ProxyUnreachable.
    """
    hosts = (urlsplit(config.snowflake.base_url).netloc, host_asked(config, "kinesis"))
    host = next((each for each in hosts if proxy_for(f"https://{each}")), None)
    if host is None:
        return "no host that is asked for here goes through it"
    name, _, port = host.partition(":")
    proxy = proxy_for(f"https://{name}") or ""
    connection = http.client.HTTPConnection(*address_of(proxy), timeout=PROXY_TIMEOUT_S)
    connection.set_tunnel(name, int(port or 443), headers=login_headers(proxy))
    try:
        connection.connect()
    except (OSError, http.client.HTTPException) as error:
        refused = refusal_of(name, error)
        raise refused or ProxyUnreachable(without_login(proxy), str(error) or type(error).__name__) from error
    finally:
        connection.close()
    return f"{without_login(proxy)} leads to {name}"
