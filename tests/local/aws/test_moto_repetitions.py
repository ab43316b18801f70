"""Computations of moto's that are kept answer as moto's own do."""

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from moto.core.serialize import ResponseSerializer, XFormedAttributePicker
from moto.core.utils import get_service_model
from moto.dynamodb.exceptions import TooManyClauses
from moto.dynamodb.parsing import validators
from moto.dynamodb.parsing.ast_nodes import (  # type: ignore[attr-defined]
    DepthFirstTraverser,
    ExpressionAttributeValue,
    Node,
    UpdateExpressionFunction,
)
from moto.dynamodb.parsing.expressions import UpdateExpressionParser  # type: ignore[attr-defined]
from moto.kms import models
from moto.kms.utils import AbstractPrivateKey, RSAPrivateKey

from firnline_local.aws import moto_repetitions
from firnline_local.aws.moto_repetitions import keep_what_repeats

keep_what_repeats()
OWN = next(
    each.cell_contents
    for each in ResponseSerializer.get_value.__closure__ or ()
    if getattr(each.cell_contents, "__name__", "") == "get_value"
)


def members(service: str) -> Iterator[tuple[str, Any, str, Any]]:
    """Yields each member of each answer of a service, with its operation, once its parents are what moto makes them."""
    model = get_service_model(service)
    for operation in model.operation_names:
        left, seen = [model.operation_model(operation).output_shape], set[str]()
        while left:
            shape = left.pop()
            if shape is None or shape.name in seen:
                continue
            seen.add(shape.name)
            for key, member in getattr(shape, "members", {}).items():
                member.parent = shape
                yield operation, shape, key, member
            left += [*getattr(shape, "members", {}).values()]
            left += [inner for inner in (getattr(shape, "member", None), getattr(shape, "value", None)) if inner]


@pytest.mark.parametrize("service", ["dynamodb", "s3", "iam", "secretsmanager", "cloudwatch"])
def test_a_member_is_found_by_the_names_that_moto_tries_and_by_no_other(service: str) -> None:
    asked = 0
    for operation, shape, key, member in members(service):
        serializer = ResponseSerializer(
            get_service_model(service).operation_model(operation), value_picker=XFormedAttributePicker()
        )
        names = moto_repetitions._names(serializer._value_picker, key, member)
        for name in (*names, "another"):
            value = {name: name, "beside": 1}
            assert serializer.get_value(value, key, member) == OWN(serializer, value, key, member), (shape, key, name)
        every = {name: name for name in reversed(names)}
        assert serializer.get_value(every, key, member) == OWN(serializer, every, key, member)
        asked += 1
    assert asked > 50


CLAUSE = st.sampled_from(
    ["SET a = :v, b = :v", "SET c = :v", "REMOVE d, e", "ADD f :v", "DELETE g :v", "SET h = if_not_exists(h, :v)"]
)


@given(st.lists(CLAUSE, min_size=1, max_size=5))
def test_clauses_that_come_twice_are_judged_by_moto(clauses: list[str]) -> None:
    def judged(traverse: Any) -> str:
        node = UpdateExpressionParser.make(" ".join(clauses))
        try:
            return str(traverse(validators.ActionCountValidator(), node) is node)
        except TooManyClauses as refused:
            return str(refused)

    assert judged(moto_repetitions._counted) == judged(DepthFirstTraverser.traverse)


class Recorded(DepthFirstTraverser):  # type: ignore[misc]
    """Replaces each value by one of another name, and notes what it is asked to process, in order."""

    def __init__(self, walk: Any) -> None:
        self.walk, self.seen = walk, list[str]()

    def traverse_node_recursively(self, node: Any, child_id: int = -1) -> Any:
        return self.walk(self, node, child_id)

    def pre_processing_of_child(self, parent_node: Any, child_id: int) -> None:
        self.seen.append(f"{parent_node.type} {child_id}")

    def _processing_map(self) -> dict[Any, Any]:
        return {ExpressionAttributeValue: self.replaced, UpdateExpressionFunction: self.noted}

    def noted(self, node: Any) -> Any:
        self.seen.append(node.type)
        return node

    def replaced(self, node: Any) -> Any:
        return ExpressionAttributeValue([":", f"{node.children[-1]}-{len(self.seen)}"])


def drawn(node: Any) -> Any:
    """Returns its tree, with what stands above each part."""
    if not isinstance(node, Node):
        return node
    return node.type, node.parent and node.parent.type, [drawn(each) for each in node.children or ()]


@given(st.lists(CLAUSE, min_size=1, max_size=5))
def test_parts_are_walked_and_replaced_in_motos_order(clauses: list[str]) -> None:
    def walked(walk: Any) -> Any:
        traverser = Recorded(walk)
        return drawn(traverser.traverse(UpdateExpressionParser.make(" ".join(clauses)))), traverser.seen

    assert walked(moto_repetitions._traversed) == walked(moto_repetitions.OWN_WALK)


@pytest.mark.contract
def test_the_embedded_dynamodb_keeps_it_and_refuses_a_clause_that_comes_twice(client_of: Any) -> None:
    dynamodb, name = client_of("dynamodb"), "repeated"
    keys = {"AttributeDefinitions": [{"AttributeName": "k", "AttributeType": "S"}]}
    keys["KeySchema"] = [{"AttributeName": "k", "KeyType": "HASH"}]
    dynamodb.create_table(TableName=name, BillingMode="PAY_PER_REQUEST", **keys)
    item = {"TableName": name, "Key": {"k": {"S": "1"}}, "ExpressionAttributeValues": {":v": {"N": "1"}}}
    dynamodb.update_item(UpdateExpression="SET a = :v, b = :v", **item)
    found = dynamodb.get_item(TableName=name, Key=item["Key"])["Item"]
    assert found == {"k": {"S": "1"}, "a": {"N": "1"}, "b": {"N": "1"}}
    with pytest.raises(ClientError, match='The "SET" section can only be used once'):
        dynamodb.update_item(UpdateExpression="SET a = :v SET b = :v", **item)
    dynamodb.delete_table(TableName=name)


def test_a_key_that_only_encrypts_has_its_pair_once_somebody_asks_for_it() -> None:
    made: list[str] = []

    def make(key_spec: str) -> RSAPrivateKey:
        made.append(key_spec)
        return RSAPrivateKey(2048)

    pair = moto_repetitions._pair(make, "SYMMETRIC_DEFAULT")
    assert made == []
    signature = pair.sign(b"text", "RSASSA_PSS_SHA_256")
    assert pair.verify(b"text", signature, "RSASSA_PSS_SHA_256")
    assert pair.public_key() == pair.public_key()
    assert made == ["SYMMETRIC_DEFAULT"]
    with pytest.raises(AttributeError):
        pair.private  # noqa: B018


@pytest.mark.parametrize("key_spec", ["RSA_2048", "ECC_NIST_P256"])
def test_a_key_that_signs_has_its_pair_from_the_beginning(key_spec: str) -> None:
    assert isinstance(models.generate_private_key(key_spec), AbstractPrivateKey)


def test_the_embedded_aws_makes_no_pair_for_a_key_that_only_encrypts() -> None:
    key = models.Key(None, "ENCRYPT_DECRYPT", "", "", "123456789012", "us-east-1")
    assert isinstance(key.private_key, moto_repetitions.PairWhenAsked)
