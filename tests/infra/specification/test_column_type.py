"""Types, written by people and by DESCRIBE."""

import pytest

from firnline_infra.specification.column_type import ColumnType, NotAType, same_type, valid_type


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("NUMBER", "NUMBER(38,0)"),
        ("NUMBER(18, 4)", "NUMBER(18,4)"),
        ("NUMBER(10)", "NUMBER(10,0)"),
        ("VARCHAR", "VARCHAR(134217728)"),  # how long is the kind of table's affair
        ("VARCHAR", "TEXT"),
        ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ(6)"),
        ("OBJECT(shardId VARCHAR, n NUMBER(38, 0))", "OBJECT(shardId VARCHAR(16777216), n NUMBER(38,0))"),
        ("OBJECT(\"a b\" ARRAY(FLOAT NOT NULL))", "OBJECT( \"a b\"  ARRAY(DOUBLE NOT NULL) )"),
        ("MAP(VARCHAR, NUMBER)", "MAP(VARCHAR, NUMBER(38,0))"),
        ("int", "NUMBER(10,0)"),  # Iceberg's own: elsewhere it is written out
        ("LONG", "NUMBER(19,0)"),
        ("integer", "NUMBER(38,0)"),
        ("array(string)", "ARRAY(VARCHAR(134217728))"),
        ("VECTOR(FLOAT, 3)", "vector(float, 3)"),
    ],
)  # fmt: skip # a type and how it is described
def test_one_type_is_written_in_many_ways(wanted: str, found: str) -> None:
    assert same_type(wanted, found)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("NUMBER(18, 4)", "NUMBER(38,0)"),
        ("NUMBER", "NUMBER(10,2)"),
        ("VARCHAR(10)", "VARCHAR(20)"),
        ("INT", "NUMBER(38,0)"),
        ("OBJECT", "OBJECT(a FLOAT)"),
        ("OBJECT(a FLOAT)", "OBJECT"),
        ("OBJECT(a FLOAT, b FLOAT)", "OBJECT(b FLOAT, a FLOAT)"),  # the order of keys is part of the type
        ("OBJECT(a FLOAT)", "OBJECT(A FLOAT)"),
        ("OBJECT(a FLOAT)", "OBJECT(a FLOAT NOT NULL)"),
        ("ARRAY(OBJECT(a NUMBER(5, 0)))", "ARRAY(OBJECT(a NUMBER(6,0)))"),
        ("MAP(VARCHAR, FLOAT)", "OBJECT(VARCHAR FLOAT)"),
    ],
)
def test_another_type_is_another(wanted: str, found: str) -> None:
    assert not same_type(wanted, found)


@pytest.mark.parametrize(
    ("written", "elsewhere", "in_iceberg"),
    [
        ("int", "NUMBER(38, 0)", "INT"),
        ("Integer", "NUMBER", "NUMBER"),
        ("string", "VARCHAR", "VARCHAR"),
        ("number(18,4)", "NUMBER(18, 4)", "NUMBER(18, 4)"),
        ('object(can_walk boolean not null, "a ""b" array(int))', None, 'OBJECT(can_walk BOOLEAN NOT NULL, "a ""b" ARRAY(INT))'),
        ("map(string, double)", None, "MAP(VARCHAR, FLOAT)"),
    ],
)  # fmt: skip # a type, and what it is in each kind of table
def test_a_type_is_made_as_its_kind_of_table_has_it(written: str, elsewhere: str | None, in_iceberg: str) -> None:
    kind = ColumnType.parse(written)
    assert str(kind.of_table(is_iceberg=True)) == in_iceberg
    if elsewhere:
        assert str(kind.of_table(is_iceberg=False)) == elsewhere


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("OBJECT()", r"a key \(in quotes, .*\) is missing"),
        ("OBJECT(änderung DATE)", "in quotes, unless it has only plain letters"),
        ("OBJECT(a FLOAT", "closing parenthesis"),
        ("OBJECT(a FLOAT, a DATE)", "the key a is there twice"),
        ("OBJECT(a FLOAT) NOT NULL", "left over"),
        ("ARRAY(FLOAT, DATE)", "has 1 type in parentheses"),
        ("ARRAY(FLOAT NOT)", "NOT is followed by NULL"),
        ("ARRAY(MONEY)", "MONEY is not a type; expected ARRAY, BINARY"),
        ("MAP(FLOAT, FLOAT)", "the keys of a MAP are VARCHAR"),
        ("ARRAY(MAP)", "MAP needs the types"),
        ("MAP(VARCHAR NOT NULL, FLOAT)", "the keys of a MAP are never NULL"),
        ("ARRAY(BOOLEAN(3))", r"BOOLEAN\(3\) is not a type"),
        ("ARRAY(NUMBER(39))", r"NUMBER\(39\) is not a type"),
        ("ARRAY(NUMBER(10, 11))", r"NUMBER\(10, 11\) is not a type"),
        ("OBJECT(a NUMBER(1, 2, 3))", r"NUMBER\(1, 2, 3\) is not a type"),
        ("OBJECT(a TIMESTAMP_NTZ(12))", r"TIMESTAMP_NTZ\(12\) is not a type"),
        ("OBJECT(a VARCHAR(0))", r"VARCHAR\(0\) is not a type"),
        ("INT(5)", "INT takes no size"),
        ("array(bigint(5))", "BIGINT takes no size"),
        ("TIMESTAMP", "did you mean TIMESTAMP_"),
        ("NUMBER(99)", r"NUMBER\(99\) is not a type"),
        ("VARCHAR(2147483647)", r"VARCHAR\(2147483647\) is not a type"),
        (f"VARCHAR({'9' * 5000})", r"no size has as many digits as that behind 'VARCHAR\('"),
        ("ARRAY(" * 5000, "nested too deeply"),
    ],
)
def test_what_is_no_type_is_told(text: str, said: str) -> None:
    with pytest.raises(NotAType, match=said):
        valid_type(text)
