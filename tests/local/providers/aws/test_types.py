"""Each type is made, read, changed, repaired and removed in the embedded AWS, and read there, not in what was said."""

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import pytest

from firnline_local.errors import InputNotCarried
from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource
from firnline_local.providers.registry import kind_of, known_types

from .cases import CASES, Case

pytestmark = pytest.mark.contract

AWS_TYPES = sorted(token for token in known_types() if token.startswith("aws:"))
cases = pytest.mark.parametrize("case", CASES, ids=str)


def pairs(of: str) -> Any:
    found = [(case, name) for case in CASES for name in getattr(case, of)]
    return pytest.mark.parametrize(("case", "name"), found, ids=[f"{case}-{name}" for case, name in found])


def make(case: Case, clients: Clients) -> tuple[dict[str, Any], CreatedResource]:
    inputs = case.inputs(clients)
    return inputs, case.kind.create(inputs, clients)


def drift(case: Case, inputs: Mapping[str, Any], found: Mapping[str, Any]) -> set[str]:
    """The inputs that a provider would show as changed."""
    wanted = {**case.kind.rules.defaults, **inputs}
    return {name for name, value in wanted.items() if found.get(name) != value}


@cases
def test_what_was_made_is_what_was_asked_for_and_is_read_the_same(case: Case, clients: Clients) -> None:
    inputs, made = make(case, clients)
    assert drift(case, inputs, made.properties) == set()
    assert case.kind.read(made.id, made.properties, clients) == made.properties
    assert made.properties["id"] == made.id


@cases
def test_it_is_imported_by_its_id_alone(case: Case, clients: Clients) -> None:
    _, made = make(case, clients)
    imported = case.kind.read(case.imported_as(made.properties), {}, clients)
    assert imported is not None
    assert imported["id"] == made.id


@cases
def test_a_name_that_is_taken_is_refused_and_what_has_it_stays(case: Case, clients: Clients) -> None:
    inputs, made = make(case, clients)
    if case.taken is None:
        return
    with pytest.raises(Exception, match=case.taken):
        case.kind.create(inputs, clients)
    assert case.kind.read(made.id, made.properties, clients) == made.properties


@pairs("behind")
def test_a_change_behind_its_back_is_drift_and_an_update_repairs_it(case: Case, name: str, clients: Clients) -> None:
    inputs, made = make(case, clients)
    case.behind[name](clients, made.id)
    found = case.kind.read(made.id, made.properties, clients)
    assert found is not None
    drifted = drift(case, inputs, found) | ({name} if found.get(name) != made.properties.get(name) else set())
    assert name in drifted
    if name in {"shardCount", "streamModeDetails", "maxRecordSizeInKib"}:
        return  # the service takes back neither at once
    refreshed = {key: found[key] for key in {*inputs, *drifted} if key in found}
    repaired = case.kind.update(made.id, refreshed, {**inputs}, clients)
    assert drift(case, inputs, repaired) == set()


@pairs("changes")
def test_an_update_reaches_the_new_value_and_nothing_else(case: Case, name: str, clients: Clients) -> None:
    inputs, made = make(case, clients)
    changed = {**inputs, name: case.changes[name], **COMPANIONS.get(name, {})}
    if changed.get("encryptionType") == "NONE":
        del changed["kmsKeyId"]
    if changed.get("streamModeDetails") == {"streamMode": "PROVISIONED"}:
        changed["shardCount"] = 4
    updated = case.kind.update(made.id, inputs, changed, clients)
    assert drift(case, changed, updated) == set()
    assert case.kind.read(made.id, updated, clients) == updated


COMPANIONS: dict[str, dict[str, Any]] = {
    "streamEnabled": {"streamViewType": "KEYS_ONLY"},
}


@cases
def test_it_is_removed_once_and_that_it_is_gone_is_no_error(case: Case, clients: Clients) -> None:
    _, made = make(case, clients)
    case.kind.delete(made.id, made.properties, clients)
    if case.is_absent_after:
        assert case.kind.read(made.id, made.properties, clients) is None
    case.kind.delete(made.id, made.properties, clients)


@cases
def test_an_input_that_is_not_carried_is_refused(case: Case, clients: Clients) -> None:
    with pytest.raises(InputNotCarried, match="websiteOfItsOwn"):
        case.kind.create({**case.inputs(clients), "websiteOfItsOwn": True}, clients)


NESTED = [(kind_of(token), str(name)) for token in AWS_TYPES for name in cast("Any", kind_of(token)).nested]


@pytest.mark.parametrize(("kind", "name"), NESTED, ids=[f"{kind.type} {name}" for kind, name in NESTED])
def test_nested_inputs_that_are_not_carried_are_refused(kind: Any, name: str, clients: Clients) -> None:
    for given in ({"ofItsOwn": 1}, [{"ofItsOwn": 1}]):
        with pytest.raises(InputNotCarried, match=f"{name} with ofItsOwn"):
            kind.create({name: given}, clients)


@pytest.mark.parametrize("token", AWS_TYPES)
def test_every_type_has_a_case_and_its_own_token(token: str) -> None:
    assert token == kind_of(token).type
    assert token in {case.kind.type for case in CASES}


@pytest.mark.parametrize("token", AWS_TYPES)
def test_every_input_is_one_of_the_stock_provider(token: str) -> None:
    kind: Any = kind_of(token)
    assert set(kind.inputs) - sdk_inputs(token) <= {"tagsAll"}
    assert set(kind.rules.defaults) <= kind.inputs
    assert set(kind.rules.replaced_by) <= sdk_inputs(token)


@cache
def all_sdk_inputs() -> dict[str, list[str]]:
    """Asked in a process of its own: the SDK's modules load lazily, and not twice in the same way."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASK_SDK, json.dumps(AWS_TYPES)],
        capture_output=True,
        text=True,
        check=True,
    )
    names: dict[str, list[str]] = json.loads(found.stdout)
    return names


def sdk_inputs(token: str) -> set[str]:
    """The names on the wire, as the SDK's class for the arguments has them."""
    return set(all_sdk_inputs()[token])


ASK_SDK = """
import importlib, inspect, json, re, sys
found = {}
for token in json.loads(sys.argv[1]):
    module, name = re.fullmatch("aws:(.+):(.+)", token).groups()
    package, _, kind = module.partition("/")
    file = re.sub("(?<!^)(?=[A-Z])", "_", kind).lower()
    sdk = importlib.import_module(f"pulumi_aws.{package}.{file}")
    # InitArgs where a nested type has the other name already
    arguments = getattr(sdk, f"{name}InitArgs", None) or getattr(sdk, f"{name}Args")
    getters = (each.fget for _, each in inspect.getmembers(arguments) if isinstance(each, property))
    found[token] = [getattr(getter, "_pulumi_name", getter.__name__) for getter in getters]
print(json.dumps(found))
"""
