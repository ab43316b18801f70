from typing import Any

import pytest

from firnline_local.pulumi.equality import is_nothing, same
from firnline_local.pulumi.schema import Field, Shape, ShapeKind

TEXT, NUMBER, SWITCH = Shape(ShapeKind.STRING), Shape(ShapeKind.NUMBER), Shape(ShapeKind.BOOL)
FIELDS = {
    "name": Field(TEXT, "name"),
    "on": Field(SWITCH, "on"),
    "names": Field(Shape(ShapeKind.SET, element=TEXT), "names"),
}
OBJECT = Shape(ShapeKind.OBJECT, fields=FIELDS)
LIST, SET = Shape(ShapeKind.LIST, element=OBJECT), Shape(ShapeKind.SET, element=OBJECT)
TAGS = Shape(ShapeKind.MAP, element=TEXT)


@pytest.mark.parametrize(
    ("shape", "one", "other"),
    [
        (TEXT, '{"a": 1, "b": [2]}', '{"b":[2],"a":1}'),
        (TEXT, "", None),
        (TEXT, '"DB"."S"', "DB.S"),
        (NUMBER, 24, 24.0),
        (SWITCH, False, None),
        (OBJECT, {"name": "a"}, {"name": "a", "on": False, "names": []}),
        (OBJECT, {"names": ["a", "b"]}, {"names": ["b", "a"]}),
        (OBJECT, {}, None),
        (SET, [{"name": "a"}, {"name": "b"}], [{"name": "b", "on": False}, {"name": "a"}]),
        (TAGS, {}, None),
        (TAGS, {"a": "1", "b": ""}, {"b": "", "a": "1"}),
    ],
)
def test_these_mean_the_same(shape: Shape, one: Any, other: Any) -> None:
    assert same(shape, one, other)
    assert same(shape, other, one)


@pytest.mark.parametrize(
    ("shape", "one", "other"),
    [
        (TEXT, '{"a": 1}', '{"a": 2}'),
        (TEXT, "[a", "[b"),
        (TEXT, "0", None),
        (TEXT, '"db"', "DB"),
        (NUMBER, 0, None),
        (SWITCH, True, None),
        (LIST, [{"name": "a"}, {"name": "b"}], [{"name": "b"}, {"name": "a"}]),
        (LIST, [{"name": "a"}], [{"name": "a"}, {"name": "a"}]),
        (SET, [{"name": "a"}], [{"name": "b"}]),
        (OBJECT, {"name": "a", "on": True}, {"name": "a"}),
        (TAGS, {"a": ""}, {}),
    ],
)
def test_these_do_not(shape: Shape, one: Any, other: Any) -> None:
    assert not same(shape, one, other)
    assert not same(shape, other, one)


def test_an_object_of_nothing_says_nothing() -> None:
    assert is_nothing(OBJECT, {"on": False, "names": [], "name": ""})
    assert not is_nothing(OBJECT, {"on": True})
