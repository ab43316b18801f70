"""Columns that a table has from the beginning. What the others are, schema evolution or whoever designs the table decides."""

from typing import Annotated

from pydantic import AfterValidator, Field

from firnline_infra.specification.column_type import written_type
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form
from firnline_ingest.config.identifier import IdentifierText

COLUMN_TYPE = Form(
    r"[A-Za-z][A-Za-z0-9_]*( ?\(.+\))?",
    "a type of Snowflake in any case: NUMBER(p, s), INT, FLOAT, VARCHAR, STRING, BOOLEAN, DATE, TIME, TIMESTAMP_NTZ, _LTZ, _TZ, "
    "BINARY, VARIANT, OBJECT, ARRAY, or structured: OBJECT(key TYPE, …), ARRAY(TYPE), MAP(VARCHAR, TYPE), NOT NULL behind a part",
    "NUMBER(18, 4)",
)


class ColumnOptions(Section):
    """A column that is made with its table."""

    name: IdentifierText
    """Filled from the first-level key of that name, whatever its case."""
    type: Annotated[str, COLUMN_TYPE, AfterValidator(written_type)]
    """A value that does not fit is a rejected row; one of a structured OBJECT has its keys and no others. INT is NUMBER(38, 0),
    and in an Iceberg table Iceberg's own int, as LONG is its long."""
    nullable: bool = True
    """Whether a record may lack it; `false` rejects rows without it."""
    select: str | None = Field(default=None, min_length=1)
    """Where in a record its value is: `$1:customer.city::VARCHAR`, whose keys are matched with their case. For columns of an
    interactive table, and then for all of them: the table is made with that SELECT. Absent, the key of the column's name."""
