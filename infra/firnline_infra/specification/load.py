"""Reads an environment's specification from its YAML file, with the file of keys beside it."""

from pathlib import Path

from firnline_infra.specification.checks import problems
from firnline_infra.specification.document import read_text, read_yaml
from firnline_infra.specification.keys_file import KeysFile, keys_file_of, with_keys
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.modules import with_modules
from firnline_ingest.config.document import parse
from firnline_ingest.errors import ConfigError, DocumentMissing


def load_spec(path: Path) -> EnvironmentSpec:
    """Raises DocumentMissing, or ConfigError with all problems of the file and of the keys beside it; those name their file."""
    beside = keys_file_of(path)
    found: list[str] = []
    spec, keys = None, KeysFile.default()  # without such a file, nothing is built to read one
    try:
        spec = parse_spec(read_text(path), str(path))
    except DocumentMissing:
        raise
    except ConfigError as error:
        found += error.problems
    try:
        keys = load_keys(beside) if beside.exists() else keys
    except ConfigError as error:
        found += [f"{beside.name}: {problem}" for problem in error.problems]
    if spec is not None:
        spec, given_twice = with_keys(spec, keys)
        # The specification alone has passed its checks: what they find now comes from the keys.
        found += given_twice or [f"{beside.name}: {_in_the_keys(problem)}" for problem in problems(spec)]
        spec, absent = with_modules(spec, path.parent)
        found += absent
    if spec is None or found:
        raise ConfigError(str(path), found)
    return spec


def load_keys(path: Path) -> KeysFile:
    """Raises ConfigError."""
    document = read_yaml(read_text(path), str(path))
    return parse(KeysFile, {} if document is None else document, str(path))


def parse_spec(text: str, source: str) -> EnvironmentSpec:
    """Raises ConfigError with all problems of a document; `source` names it in the message."""
    document = read_yaml(text, source)
    try:
        spec = parse(EnvironmentSpec, document, source)
    except ConfigError as error:
        from firnline_infra.specification.partial_validation import (
            salvaged_problems,  # only a wrong document pays for it
        )

        raise ConfigError(source, [*error.problems, *salvaged_problems(document, problems)]) from None
    if found := list(problems(spec)):
        raise ConfigError(source, found)
    return spec


def _in_the_keys(problem: str) -> str:
    return problem.replace("snowflake.", "").replace(".public_keys", "")
