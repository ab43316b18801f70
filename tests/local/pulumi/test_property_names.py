"""The schemas and the tables beside them, compared with every argument class of the two SDKs, both ways."""

import importlib
import inspect
import sys
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import pytest
from pulumi import Asset, _types

from firnline_infra.kinds.property_names import RENAMED, pulumi_name, python_name
from firnline_local.providers.registry import known_types
from firnline_local.pulumi.property_names import DOCUMENTS
from firnline_local.pulumi.schema import Field, Fields, Shape, ShapeKind, fields_of, made_up_of, provider_fields, tokens

SCALARS = {bool: ShapeKind.BOOL, int: ShapeKind.NUMBER, float: ShapeKind.NUMBER, str: ShapeKind.STRING}


def arguments_of(token: str) -> type:
    """The class of a resource's arguments; it is not always named as the resource is."""
    package, module, name = token.split(":")
    folder = module.partition("/")[0]
    # By attributes: the SDK loads its folders lazily, and a file that is imported past that leaves its folder half empty.
    home = importlib.import_module(f"pulumi_{package}")
    resource = getattr(home if folder == "index" else getattr(home, folder), name)
    loaded = sys.modules[resource.__module__]
    assert loaded.__all__[1] == name
    found: type = getattr(loaded, loaded.__all__[0])
    return found


def inputs_of(arguments: type) -> dict[str, Any]:
    """The type of each input by its name in Pulumi."""
    return dict(_types.input_type_types(arguments))


def alternatives(annotation: Any) -> Iterator[Any]:
    """Yields what an Input may be, without the wrapping."""
    if get_origin(annotation) is not None and get_origin(annotation).__name__ in {"Sequence", "Mapping"}:
        yield annotation
    elif get_args(annotation):
        for part in get_args(annotation):
            yield from alternatives(part)
    else:
        yield annotation


def kinds(annotation: Any) -> set[ShapeKind]:
    found = set()
    for each in alternatives(annotation):
        if each in SCALARS:
            found.add(SCALARS[each])
        elif get_origin(each) is not None:
            found |= {ShapeKind.LIST, ShapeKind.SET} if get_origin(each).__name__ == "Sequence" else {ShapeKind.MAP}
        elif _types.is_input_type(each):
            found.add(ShapeKind.OBJECT)
        elif each is Asset:
            found.add(ShapeKind.STRING)  # a file's path, in Terraform
    return found


def differences(path: str, arguments: type, fields: Fields) -> Iterator[str]:
    sdk = inputs_of(arguments)
    schema = {name: field for name, field in fields.items() if field.is_input}
    known = fields if path else schema  # inside of blocks, the SDK takes outputs for inputs too
    yield from (f"{path}{name}: only in the SDK" for name in sdk.keys() - known.keys())
    yield from (f"{path}{name}: only in the schema" for name in schema.keys() - sdk.keys())
    for name in sdk.keys() & fields.keys():
        yield from misfits(f"{path}{name}", sdk[name], fields[name].shape)


def misfits(path: str, annotation: Any, shape: Shape) -> Iterator[str]:
    if path.startswith("endpoints"):
        return  # an object with a field for each service in the SDK, a mapping here
    if shape.kind not in kinds(annotation):
        yield f"{path}: {shape.kind} here, {annotation} in the SDK"
    for each in alternatives(annotation):
        if get_origin(each) is not None and shape.element is not None:
            yield from misfits(f"{path}[]", get_args(each)[-1], shape.element)
        elif shape.kind is ShapeKind.OBJECT and _types.is_input_type(each):
            yield from differences(f"{path}.", each, shape.fields)


@pytest.mark.parametrize("token", tokens())
def test_each_input_of_the_sdk_is_an_attribute_of_the_schema_in_the_same_shape_and_the_other_way_round(
    token: str,
) -> None:
    assert list(differences("", arguments_of(token), fields_of(token))) == []


@pytest.mark.parametrize("package", ["aws", "snowflake"])
def test_each_argument_of_a_provider_is_in_its_schema_and_the_other_way_round(package: str) -> None:
    arguments = importlib.import_module(f"pulumi_{package}").ProviderArgs
    assert list(differences("", arguments, provider_fields(package))) == []


def test_the_schemas_and_the_registry_know_the_same_types() -> None:
    assert set(tokens()) == set(known_types())


def test_a_required_attribute_that_the_sdk_does_not_require_is_one_that_pulumi_makes_up() -> None:
    optional = {
        token: name
        for token in tokens()
        for name, field in fields_of(token).items()
        if field.required and not is_required(arguments_of(token), name)
    }
    assert optional.items() <= {token: made_up_of(token) for token in tokens()}.items()


def test_what_pulumi_makes_up_is_a_text_that_the_sdk_does_not_require() -> None:
    for token, name in ((token, made_up_of(token)) for token in tokens()):
        if name is None:
            continue
        assert fields_of(token)[name].shape.kind is ShapeKind.STRING
        assert not is_required(arguments_of(token), name)


def is_required(arguments: type, name: str) -> bool:
    python = {pulumi: python for python, pulumi in _types.input_type_py_to_pulumi_names(arguments).items()}[name]
    return inspect.signature(arguments).parameters[python].default is inspect.Parameter.empty


def test_the_documents_are_the_texts_that_the_sdk_also_takes_as_objects() -> None:
    both = {
        (token, name)
        for token in tokens()
        for name, annotation in inputs_of(arguments_of(token)).items()
        if kinds(annotation) >= {ShapeKind.STRING, ShapeKind.OBJECT}
    }
    assert both == set(DOCUMENTS.items())


def test_a_renaming_is_needed_and_names_an_attribute_that_there_is() -> None:
    for token, renamed in RENAMED.items():
        fields = provider_fields(token.rpartition(":")[2]) if token.startswith("pulumi:") else fields_of(token)
        for path, name in renamed.items():
            assert name != pulumi_name("", path)
            assert at(path, fields).attribute == path.rpartition(".")[2]


def at(path: str, fields: Fields) -> Field:
    first, _, rest = path.partition(".")
    found = next(field for field in fields.values() if field.attribute == first)
    if not rest:
        return found
    content = found.shape if found.shape.kind is ShapeKind.OBJECT else found.shape.element
    assert content is not None
    return at(rest, content.fields)


@pytest.mark.parametrize(
    ("attribute", "name"),
    [
        ("retention_period", "retentionPeriod"),
        ("rsa_public_key_2", "rsaPublicKey2"),
        ("timestamp_day_is_always_24h", "timestampDayIsAlways24h"),
        ("arn", "arn"),
    ],
)
def test_a_name_is_camel_case(attribute: str, name: str) -> None:
    assert pulumi_name("", attribute) == name


@pytest.mark.parametrize("token", tokens())
def test_the_sdk_spells_an_input_as_we_do(token: str) -> None:
    python = {pulumi: python for python, pulumi in _types.input_type_py_to_pulumi_names(arguments_of(token)).items()}
    for name, field in fields_of(token).items():
        if name in python:
            assert python_name(token, field.attribute) == python[name]
