"""Findings of Pulumi itself, from the plan that `pulumi preview --refresh --json` writes (sdk/go/common/display/json.go).

Pure: a plan and the state before the refresh go in, findings come out. The state tells what somebody changed from what was
never applied.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firnline_infra.drift.errors import PreviewUnreadable
from firnline_infra.kinds.kind import noun_of
from firnline_infra.pulumi_cli.cli import UNKNOWN
from firnline_ingest.checks import NOTHING, Cause, Finding

Values = Mapping[str, Any]
QUIET = {"same", "read", "refresh", "read-replacement", "read-discard", "discard"}
PARTS_OF_REPLACE = {"create-replacement", "delete-replaced", "discard-replaced", "remove-pending-replace"}
NOT_OF_A_CLOUD = ("pulumi:", "firnline:")  # providers and the stack; components of ours
UNSEEN = "nothing that the role which compares can see"
"""What is said of an object of Snowflake: what was replaced or given away looks the same as what was dropped."""
ANOTHERS = "(where Snowflake answers that it exists, another owner has it by now, who gives it back); else "
BRINGS_BACK = {
    "snowflake table": f"UNDROP TABLE {{name}}, before another one that is empty takes its name {ANOTHERS}",
    "snowflake iceberg table": f"UNDROP ICEBERG TABLE {{name}}, before another one that is empty takes its name {ANOTHERS}",
    "dynamodb table": "restore {name} first (aws dynamodb restore-table-to-point-in-time); else ",
}
"""What has the data again; `up` makes an empty one, at which the engine stops."""
PART = re.compile(r"""\[(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<index>\d+))\]|\.?(?P<plain>[^.\[]+)""")


PARENTS_IN_AWS = ("bucket", "role", "user")


@dataclass(frozen=True)
class State:
    """A stack's resources as the last `up` left them, by URN."""

    inputs: Mapping[str, Values]

    @classmethod
    def of(cls, exported: Mapping[str, Any]) -> "State":
        found = exported.get("deployment", {}).get("resources") or ()
        return cls({each["urn"]: each.get("inputs") or {} for each in found})


def stack_findings(plan: Mapping[str, Any], state: State, *, next_step: str) -> Iterator[Finding]:
    """`next_step`: what sets an object back. Raises PreviewUnreadable."""
    steps = plan.get("steps")
    if not isinstance(steps, list):
        raise PreviewUnreadable("it has no steps.")
    for step in steps:
        if not {"op", "urn"} <= step.keys():
            raise PreviewUnreadable(f"a step without op and urn: {sorted(step)}.")
    gone = {each["urn"]: _values(each, "newState", "inputs") for each in steps if _is_gone(each, state)}
    names = {urn: _full_name(inputs) for urn, inputs in gone.items()}
    for step in steps:
        urn = step["urn"]
        if not any(other != urn and _went_with(urn, gone.get(urn, {}), name) for other, name in names.items()):
            yield from _of_step(step, state, next_step)


def _is_gone(step: Mapping[str, Any], state: State) -> bool:
    return step["op"] == "create" and step["urn"] in state.inputs


def _full_name(inputs: Values) -> str:
    """The full name by which objects inside it refer to it; empty for what has no name, such as a grant."""
    parts = [str(inputs[each]) for each in ("database", "schema", "name") if isinstance(inputs.get(each), str)]
    if "name" not in inputs:
        return str(inputs["bucket"]) if inputs.keys() & {"forceDestroy", "tags"} and "bucket" in inputs else ""
    return parts[0] if len(parts) == 1 else ".".join(f'"{each}"' for each in parts)


def _went_with(urn: str, inputs: Values, name: str) -> bool:
    """Returns whether what is missing belongs to another object that is missing: a grant on it, what is in it, a
    bucket's setting.

    In AWS a name says so only where a parent stands: an alarm's dimension, say, may be the name of anything.
    """
    own = _full_name(inputs)
    if not name or own == name:
        return False
    if _type_of(urn).startswith("aws:"):
        return name in {inputs.get(each) for each in PARENTS_IN_AWS}
    return name in _leaves(inputs) or own.startswith((f"{name}.", f'"{name}".'))


def _type_of(urn: str) -> str:
    return urn.split("::")[2].rpartition("$")[2]


def _leaves(value: Any) -> set[str]:
    if isinstance(value, Mapping):
        return set().union(*map(_leaves, value.values()))
    if isinstance(value, list):
        return set().union(*map(_leaves, value))
    return {value} if isinstance(value, str) else set()


def _of_step(step: Mapping[str, Any], state: State, next_step: str) -> Iterator[Finding]:
    op, urn = step["op"], step["urn"]
    type_ = _type_of(urn)
    if op in QUIET | PARTS_OF_REPLACE or type_.startswith(NOT_OF_A_CLOUD):
        return
    wanted, there = _values(step, "newState", "inputs"), _found(step)

    def finding(path: str, expected: str, found: str, cause: Cause) -> Finding:
        name = object_name(urn, wanted or there)
        return Finding(
            kind=noun_of(type_),
            name=name,
            path=path,
            expected=expected,
            found=found,
            cause=cause,
            next_step=next_step,
        )

    match op:
        case "update" | "replace":
            for path in _paths(step, wanted, there):
                before = _at(state.inputs.get(urn, {}), path)
                cause = Cause.CHANGED if before == _at(wanted, path) else Cause.NOT_APPLIED
                yield finding(path, _text(_at(wanted, path)), _text(_at(there, path)), cause)
        case "create" | "import":
            cause = Cause.CHANGED if urn in state.inputs else Cause.NOT_APPLIED
            is_object = type_.startswith("snowflake:") and "name" in wanted and cause is Cause.CHANGED
            gone = finding("exists", "yes", UNSEEN if is_object else NOTHING, cause)
            first = BRINGS_BACK.get(noun_of(type_), "") if cause is Cause.CHANGED else ""
            yield replace(gone, next_step=f"{first.format(name=gone.name)}{next_step}")
        case "delete":
            yield finding("exists", "no", "yes", Cause.NOT_APPLIED)
        case _:
            raise PreviewUnreadable(f"a step of an unknown kind, {op!r}.")


def _paths(step: Mapping[str, Any], wanted: Values, there: Values) -> Iterator[str]:
    """Yields the paths that differ, as deep as they can be told: one tag, not all of them."""
    differing = step.get("detailedDiff") or dict.fromkeys(step.get("diffReasons") or step.get("replaceReasons") or ())
    if not differing:
        raise PreviewUnreadable(f"nothing is said to differ at {step['urn']}, and it would be changed.")
    seen: set[str] = set()
    for path in sorted(differing):
        for deep in _deeper(path, _at(wanted, path), _at(there, path)):
            if deep not in seen:
                seen.add(deep)
                yield deep


def _deeper(path: str, wanted: Any, there: Any) -> Iterator[str]:
    if not (isinstance(wanted, Mapping) and isinstance(there, Mapping)):
        yield path
        return
    differing = [key for key in sorted({*wanted, *there}) if wanted.get(key) != there.get(key)]
    if not differing:
        yield path
    for key in differing:
        yield from _deeper(
            f"{path}.{key}" if key.isidentifier() else f'{path}["{key}"]', wanted.get(key), there.get(key)
        )


def _values(step: Mapping[str, Any], state: str, part: str) -> Values:
    return (step.get(state) or {}).get(part) or {}


def _found(step: Mapping[str, Any]) -> Values:
    """The values after the refresh. Its inputs are what the program would say; what the program leaves out is among the
    outputs."""
    return {**_values(step, "oldState", "outputs"), **_values(step, "oldState", "inputs")}


def object_name(urn: str, values: Values) -> str:
    """The name that the service has for it, if the type has one."""
    logical = str(urn.split("::", 3)[3])
    given = next(
        (str(values[each]) for each in ("name", "bucket", "dashboardName") if isinstance(values.get(each), str)), None
    )
    if given is None:
        return logical
    containers = [str(values[each]) for each in ("database", "schema") if isinstance(values.get(each), str)]
    return ".".join([*containers, given])


def _at(values: Any, path: str) -> Any:
    """Returns None if there is no such place."""
    for part in PART.finditer(path):
        key = part["plain"] if part["plain"] is not None else part["quoted"]
        if key is not None and isinstance(values, Mapping):
            values = values.get(key)
        elif part["index"] is not None and isinstance(values, list) and int(part["index"]) < len(values):
            values = values[int(part["index"])]
        else:
            return None
    return values


def _text(value: Any) -> str:
    if value is None or value == "":
        return NOTHING
    if value == UNKNOWN:
        return "known once it is made"
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)
