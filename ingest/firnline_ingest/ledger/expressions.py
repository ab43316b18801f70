"""DynamoDB's expressions, made in one place: each attribute goes in by a placeholder, and so does each value.

An attribute that an expression names itself is refused where its name is one of DynamoDB's some six hundred reserved words, as
`stream` and `shard` are (Developer Guide, "Reserved words in DynamoDB", read on 2026-11-28).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from boto3.dynamodb.conditions import ConditionBase, ConditionExpressionBuilder
from boto3.dynamodb.types import TypeSerializer

_serialize = TypeSerializer().serialize


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemUpdate:
    """The attributes of an item that an update sets, raises by a number, or removes; one that is raised has to be there."""

    sets: Mapping[str, Any] = field(default_factory=dict)
    raises: Mapping[str, int] = field(default_factory=dict)
    removes: tuple[str, ...] = ()


def of_query(condition: ConditionBase) -> dict[str, Any]:
    """Returns the parameters of a query for the items whose key is as the condition has it."""
    built = ConditionExpressionBuilder().build_expression(condition, is_key_condition=True)
    names, values = built.attribute_name_placeholders, built.attribute_value_placeholders
    return {"KeyConditionExpression": built.condition_expression, **_placeholders(names, values)}


def of_write(condition: ConditionBase, update: ItemUpdate | None = None) -> dict[str, Any]:
    """Returns the parameters of a write that is made on a condition."""
    built = ConditionExpressionBuilder().build_expression(condition)
    names, values = built.attribute_name_placeholders, built.attribute_value_placeholders
    parameters = {"ConditionExpression": built.condition_expression}
    if update:
        parameters["UpdateExpression"] = _update_expression(update, names, values)
    return {**parameters, **_placeholders(names, values)}


def _update_expression(update: ItemUpdate, names: dict[str, str], values: dict[str, Any]) -> str:
    """Adds its placeholders to those of the condition, whose names begin with other letters."""
    changes = {**update.sets, **update.raises}
    placeholders = {name: f"u{number}" for number, name in enumerate((*changes, *update.removes))}
    names |= {f"#{placeholder}": name for name, placeholder in placeholders.items()}
    values |= {f":{placeholders[name]}": value for name, value in changes.items()}
    sets = [f"#{placeholders[name]} = :{placeholders[name]}" for name in update.sets]
    raises = [f"#{each} = #{each} + :{each}" for each in map(placeholders.__getitem__, update.raises)]
    removes = [f"#{placeholders[name]}" for name in update.removes]
    clauses = (("SET", [*sets, *raises]), ("REMOVE", removes))
    return " ".join(f"{verb} {', '.join(parts)}" for verb, parts in clauses if parts)


def _placeholders(names: Mapping[str, str], values: Mapping[str, Any]) -> dict[str, Any]:
    """DynamoDB refuses an empty list of either."""
    parameters: dict[str, Any] = {"ExpressionAttributeNames": dict(names)}
    if values:
        parameters["ExpressionAttributeValues"] = {name: _serialize(value) for name, value in values.items()}
    return parameters
