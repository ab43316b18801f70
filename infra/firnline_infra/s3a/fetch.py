"""Fetches S3A's jars into a folder, once; every jar is the one that was tested, or there is an error and no jar."""

import hashlib
import http.client
import os
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.request import urlopen

from firnline_infra.s3a.errors import JarForeign, JarsUnreachable
from firnline_infra.s3a.jars import Jar, jars_for

MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
AT_A_TIME = 8
SILENT_S = 30


def provided_at(hadoop: str, environment: Mapping[str, str] | None = None) -> Path:
    """One folder for all clones of a user, whether anything is in it or not. `environment` defaults to this process's own."""
    environment = os.environ if environment is None else environment
    cache = environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME") or Path.home()) / ".cache"
    return Path(cache) / "firnline" / f"s3a-{hadoop}"


def provide(hadoop: str, folder: Path | None = None, *, repository: str = MAVEN_CENTRAL) -> Path:
    """The folder with all jars for this Hadoop, and whatever else was in it; what is there already is not fetched.

    Raises HadoopUnknown, JarsUnreachable, JarForeign.
    """
    return provide_jars(jars_for(hadoop), folder or provided_at(hadoop), repository=repository)


def provide_jars(jars: Iterable[Jar], folder: Path, *, repository: str = MAVEN_CENTRAL) -> Path:
    """The folder with these jars, and whatever else was in it. Raises JarsUnreachable, JarForeign."""
    missing = [jar for jar in jars if not _is_there(jar, folder)]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(AT_A_TIME) as pool:
            list(pool.map(partial(_fetch, folder=folder, repository=repository.rstrip("/")), missing))
    return folder


def _is_there(jar: Jar, folder: Path) -> bool:
    try:
        return hashlib.sha256((folder / jar.name).read_bytes()).hexdigest() == jar.sha256
    except FileNotFoundError:
        return False


def _fetch(jar: Jar, *, folder: Path, repository: str) -> None:
    url = f"{repository}/{jar.path}"
    try:
        with urlopen(url, timeout=SILENT_S) as answer:  # noqa: S310 - the user names it; the content is checked
            content = answer.read()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise JarsUnreachable(url, str(error)) from error
    if hashlib.sha256(content).hexdigest() != jar.sha256:
        raise JarForeign(url)
    with tempfile.TemporaryDirectory(dir=folder) as unfinished:
        whole = Path(unfinished, jar.name)
        whole.write_bytes(content)
        whole.replace(folder / jar.name)
