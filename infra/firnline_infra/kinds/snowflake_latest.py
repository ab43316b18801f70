"""Comparison of a table of latest rows that no provider makes: whether it is still refreshed, and how."""

from collections.abc import Iterator

from firnline_infra.kinds.comparison import Difference, Subject
from firnline_infra.specification.identifier import QualifiedName
from firnline_ingest.identifiers import like_pattern

ACTIVE = "ACTIVE"
"""RUNNING on older pages (docs.snowflake.com, `release-notes/bcr-bundles/2024_02/bcr-1543`)."""


def schedule(subject: Subject) -> Iterator[Difference]:
    """Finds one that was suspended, also by Snowflake after five refreshes that failed, or that is read whole each time."""
    table = subject.wanted
    *container, own = table.name.parts
    inside = QualifiedName(tuple(container)).sql
    for row in subject.rows(f"SHOW DYNAMIC TABLES LIKE {like_pattern(own.name)} IN SCHEMA {inside}"):
        if row["name"] != own.name:
            continue
        state, mode = row.get("scheduling_state"), str(row.get("refresh_mode"))
        if state is None:
            raise subject.out_of_sight("the scheduling state")
        if state not in (ACTIVE, "RUNNING"):
            step = (
                "find out who did it, or which refresh failed (INFORMATION_SCHEMA.DYNAMIC_TABLE_REFRESH_HISTORY); "
                f"then ALTER DYNAMIC TABLE {table.name.sql} RESUME"
            )
            yield Difference(path="schedulingState", expected=ACTIVE, found=str(state), next_step=step)
        if mode != table.refresh_mode:
            step = "find out who made it anew and why; each refresh reads the whole table. `firnline up` makes it again"
            yield Difference(path="refreshMode", expected=table.refresh_mode, found=mode, next_step=step)
