import pytest
from pydantic import TypeAdapter, ValidationError

from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.config.identifier import IdentifierText


def test_a_name_is_written_the_plainest_way_and_quoted_in_sql() -> None:
    orders, mine = Identifier.parse("orders"), Identifier.parse('"My ""Orders"""')
    assert (str(orders), orders.sql) == ("ORDERS", '"ORDERS"')
    assert (str(mine), mine.sql) == ('"My ""Orders"""', '"My ""Orders"""')


def test_a_qualified_name_quotes_each_part() -> None:
    name = QualifiedName.of("firnline", '"raw data"', "select")
    assert name.sql == '"FIRNLINE"."raw data"."SELECT"'
    assert str(name) == 'FIRNLINE."raw data".SELECT'


def test_a_document_holds_one_text_for_all_ways_to_write_a_name() -> None:
    field = TypeAdapter(IdentifierText)
    assert {field.validate_python(text) for text in ("orders", "Orders", '"ORDERS"')} == {"ORDERS"}


def test_a_document_is_told_how_to_write_what_is_no_name() -> None:
    with pytest.raises(ValidationError, match="put the name between double quotes"):
        TypeAdapter(IdentifierText).validate_python("my orders")
