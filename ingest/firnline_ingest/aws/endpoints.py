"""botocore's table of endpoints, of which a process needs a handful of services: each one's part is decoded when it is asked for.

botocore reads the whole table (1.3 MB of JSON, 300 services in nine partitions) for the first client of a process, which costs
16 MB of memory for good. What it finds in this one is the same.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from botocore.loaders import JSONFileLoader

TABLE = "endpoints.json"


class DescriptionFiles(JSONFileLoader):
    """Reads descriptions as botocore does; any table of endpoints that is not as expected, too."""

    def _load_file(self, full_path: str, open_method: Callable[..., IO[bytes]]) -> Any:
        path = Path(full_path)
        if path.name == TABLE and path.is_file() and (table := _table(path.read_bytes())) is not None:
            return table
        base: Any = super()
        return base._load_file(full_path, open_method)


class Services(Mapping[str, Any]):
    """The services of one partition by their endpoint prefixes."""

    def __init__(self, encoded: Mapping[str, bytes]) -> None:
        self._encoded = encoded

    def __getitem__(self, name: str) -> Any:
        from msgspec import json

        return json.decode(self._encoded[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._encoded)

    def __len__(self) -> int:
        return len(self._encoded)


def _table(content: bytes) -> dict[str, Any] | None:
    """Returns None for one that is not as expected."""
    from msgspec import MsgspecError, Raw, json

    try:
        table = json.decode(content, type=dict[str, Raw])
        partitions = json.decode(table.pop("partitions"), type=list[dict[str, Raw]])
        return {name: json.decode(each) for name, each in table.items()} | {
            "partitions": [
                _partition(json.decode(each.pop("services"), type=dict[str, Raw]), each) for each in partitions
            ]
        }
    except (MsgspecError, KeyError):
        return None


def _partition(services: Mapping[str, bytes], rest: Mapping[str, bytes]) -> dict[str, Any]:
    from msgspec import json

    return {name: json.decode(each) for name, each in rest.items()} | {"services": Services(services)}
