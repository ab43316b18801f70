"""The conditions of a statement (IAM user guide, "IAM JSON policy elements: Condition operators").

All keys of all operators have to hold; of a key's values one is enough, or none may match where the operator negates.
"""

from collections.abc import Callable, Mapping
from typing import Any

from firnline_local.iam.patterns import Context, as_list, matches, resolve, values_of

Test = Callable[[str, str], bool]
"""(the policy's value, the request's)"""

POSITIVE: Mapping[str, Test] = {
    "StringEquals": lambda wanted, found: wanted == found,
    "StringEqualsIgnoreCase": lambda wanted, found: wanted.lower() == found.lower(),
    "StringLike": matches,
    "ArnEquals": matches,  # the user guide says that both behave identically
    "ArnLike": matches,
    "Bool": lambda wanted, found: wanted.lower() == found.lower(),
    "NumericEquals": lambda wanted, found: float(wanted) == float(found),
    "NumericLessThan": lambda wanted, found: float(found) < float(wanted),
    "NumericLessThanEquals": lambda wanted, found: float(found) <= float(wanted),
    "NumericGreaterThan": lambda wanted, found: float(found) > float(wanted),
    "NumericGreaterThanEquals": lambda wanted, found: float(found) >= float(wanted),
}
NEGATIVE: Mapping[str, Test] = {
    "StringNotEquals": POSITIVE["StringEquals"],
    "StringNotEqualsIgnoreCase": POSITIVE["StringEqualsIgnoreCase"],
    "StringNotLike": matches,
    "ArnNotEquals": matches,
    "ArnNotLike": matches,
    "NumericNotEquals": POSITIVE["NumericEquals"],
}
ALL_VALUES, ANY_VALUE, IF_EXISTS = "ForAllValues:", "ForAnyValue:", "IfExists"


def hold(conditions: Mapping[str, Mapping[str, Any]], context: Context) -> bool:
    """Raises ValueError for an operator that is not known here: to guess would allow or refuse by chance."""
    return all(
        _holds(operator, key, [str(each) for each in as_list(wanted)], context)
        for operator, keys in conditions.items()
        for key, wanted in keys.items()
    )


def _holds(operator: str, key: str, wanted: list[str], context: Context) -> bool:
    found = values_of(key, context)
    if operator == "Null":
        return (wanted[0].lower() == "true") == (not found)
    quantifier = next((each for each in (ALL_VALUES, ANY_VALUE) if operator.startswith(each)), "")
    name = operator.removeprefix(quantifier)
    if name.endswith(IF_EXISTS):
        if not found:
            return True
        name = name.removesuffix(IF_EXISTS)
    if name not in POSITIVE and name not in NEGATIVE:
        raise ValueError(f"The condition operator {operator} is not known to the embedded AWS.")
    if not found:
        return quantifier == ALL_VALUES or (name in NEGATIVE and not quantifier)
    each_holds = [_one(name, wanted, value, context) for value in found]
    return any(each_holds) if quantifier == ANY_VALUE else all(each_holds)


def _one(name: str, wanted: list[str], found: str, context: Context) -> bool:
    resolved = [value for each in wanted if (value := resolve(each, context)) is not None]
    if name in NEGATIVE:
        return not any(NEGATIVE[name](each, found) for each in resolved)
    return any(POSITIVE[name](each, found) for each in resolved)
