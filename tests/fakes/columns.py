"""The columns of one pipeline's tables, in memory, as a TargetCatalog adds them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.snowflake.errors import SnowflakeUnavailable, StatementRefused
from firnline_ingest.snowflake.target import TargetState

OWN = {"N", "KIND", "KINESISMETADATA"}


@dataclass
class ColumnsInMemory:
    """Columns of one pipeline's tables, in memory."""

    state: TargetState
    columns: dict[str, set[str]] = field(default_factory=dict)
    refuses: set[str] = field(default_factory=set)
    statements: list[tuple[str, ...]] = field(default_factory=list)
    is_away: int = 0

    def states(self, pipelines: Sequence[PipelineConfig]) -> dict[str, TargetState]:
        if self.is_away:
            self.is_away -= 1
            raise SnowflakeUnavailable("answer", "it is away")
        return {each.stream: self.state for each in pipelines}

    def columns_of(self, target: Any) -> Mapping[str, bool]:
        return dict.fromkeys(self.columns.setdefault(target.table, set(OWN)), True)

    def add_columns(self, state: TargetState, columns: Sequence[str]) -> None:
        self.statements.append(tuple(columns))
        names = [re.sub('""', '"', each[1 : each.rindex('"')]) for each in columns]
        if self.refuses.intersection(names):
            raise StatementRefused("answer", "not this one")
        self.columns.setdefault(state.target.table, set(OWN)).update(names)
