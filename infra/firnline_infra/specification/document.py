"""Reads a YAML document from a file, and refuses what YAML itself would pass over."""

import re
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from firnline_ingest.errors import ConfigError, DocumentMissing


def read_text(path: Path) -> str:
    """Raises ConfigError or DocumentMissing."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise DocumentMissing(str(path), "give ENV or the path of a specification.") from error
    except OSError as error:
        raise ConfigError(str(path), [f"can't be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise ConfigError(str(path), [f"is not UTF-8: {error.reason} at byte {error.start}"]) from error


def read_yaml(text: str, source: str) -> object:
    """Raises ConfigError; `source` names the document in it."""
    try:
        return yaml.load(text, _OnceLoader)  # noqa: S506 (a SafeLoader)
    except yaml.YAMLError as error:
        told = " ".join(str(error).split()).replace('in "<unicode string>", line', "at line")
        tab = "; indent with spaces, not tabs" if "cannot start any token" in told and "\t" in text else ""
        raise ConfigError(source, [f"is not YAML: {told}{tab}"]) from error


OF_YAML_1_1 = re.compile(r"^(?:(?i:yes|no|on|off)|[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?|[-+]?0[\d_]+)$")
"""What only YAML 1.1 takes for true, false, a number of base 60 or of base 8: `NO` of [NO, DE], 12:30, a postcode 01067."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where PyYAML was built with libyaml


class _OnceLoader(_Loader):  # type: ignore[misc] # one of two, by what PyYAML has
    """Refuses a key that is given twice; YAML itself would silently take the last. Words are as in YAML 1.2, which editors read:
    `aggregation: off` is text.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012 (PyYAML's own form)
        first: [("tag:yaml.org,2002:str", OF_YAML_1_1), *known] if first in "yYnNoO+-0123456789" else known
        for first, known in _Loader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):  # YAML's own constructor refuses any other
                if key in seen:
                    raise yaml.constructor.ConstructorError(None, None, f"{key!r} is given twice", key_node.start_mark)
                seen.add(key)
        mapping: dict[Hashable, object] = super().construct_mapping(node, deep)
        return mapping
