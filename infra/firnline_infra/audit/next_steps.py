"""What to do about each kind of problem. The report says it once, under the positions that it is about."""

from collections.abc import Mapping

from firnline_infra.audit.findings import Kind

NEXT_STEPS: Mapping[Kind, str] = {
    Kind.MISSING: "if the engine is behind (what is missing stands at its shards' ends), let it finish: "
    "firnline run --available-now; or audit up to a moment that it is past: --until. If records stay missing, were rows "
    "deleted, the error table emptied, or the dead letters moved? While the stream still has the records, an engine with "
    "another application name and another table reads them again.",
    Kind.DOUBLED: "stop whatever else writes to the table (SHOW CHANNELS, the query history: a second engine, an INSERT, a "
    "repaired row whose original is still in the error table). Every copy bears the position: keep one, delete the others.",
    Kind.FOREIGN: "rows that no record of the stream stands behind: look at them by their position, find out who wrote them "
    "(query history), and delete them. A stream that this table may also hold is named with --also-holds.",
    Kind.CHANGED: "compare the row with its record. An UPDATE shows in the query history; a column that can't hold the value "
    "(a fraction in NUMBER(38,0), a long integer in FLOAT) needs a wider type: new column, or VARIANT.",
    Kind.MISPLACED: "out of order: two writers shared a channel; see SHOW CHANNELS, and keep one engine an application. A good "
    "record among the dead letters: firnline dead-letters show KEY tells why it went there.",
}
