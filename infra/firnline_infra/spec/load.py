"""Reads an environment's specification from its YAML file."""

from collections.abc import Hashable
from pathlib import Path

import yaml

from firnline_infra.spec.checks import problems
from firnline_infra.spec.model import EnvironmentSpec
from firnline_ingest.config.document import parse
from firnline_ingest.errors import ConfigError


def load_spec(path: Path) -> EnvironmentSpec:
    """Raises ConfigError for a file that is missing, is not YAML, or does not describe an environment."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(str(path), [f"can't be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), [f"is not UTF-8: {error.reason} at byte {error.start}"]) from error
    return parse_spec(text, str(path))


def parse_spec(text: str, source: str) -> EnvironmentSpec:
    """Raises ConfigError with all problems of a document; `source` names it in the message."""
    try:
        document = yaml.load(text, _OnceLoader)  # noqa: S506 (a SafeLoader)
    except yaml.YAMLError as error:
        raise ConfigError(source, [f"is not YAML: {' '.join(str(error).split())}"]) from error
    spec = parse(EnvironmentSpec, document, source)
    if found := list(problems(spec)):
        raise ConfigError(source, found)
    return spec


class _OnceLoader(yaml.SafeLoader):
    """Refuses a key that is given twice; YAML itself would silently take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):  # YAML's own constructor refuses any other
                if key in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key!r} is given twice", key_node.start_mark)
                seen.add(key)
        return super().construct_mapping(node, deep)
