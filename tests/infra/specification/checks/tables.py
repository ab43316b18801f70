"""Tables of specifications: an interactive one and an Iceberg one, with what they need around them."""

from typing import Any

from tests.infra.specifications import pipeline

COLUMNS = [{"name": "ID", "type": "VARCHAR"}, {"name": "V", "type": "FLOAT"}]
"""Of an interactive table: without any it keeps nothing."""
FAST = {"interactive_warehouse": {"name": "FAST"}}
ICEBERG = {"table_kind": "iceberg", "external_volume": "V"}
VOLUME = {"external_volumes": [{"name": "V"}]}


def interactive(**changes: Any) -> dict[str, Any]:
    """A pipeline into one."""
    return pipeline(table_kind="interactive", **{"cluster_by": ["ID"], **changes})
