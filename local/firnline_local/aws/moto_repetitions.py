"""Computations that moto repeats for each member of an answer and each part of an UpdateExpression, where once will do: a third
of the time that a request to its DynamoDB takes; and those that it makes for each key of KMS, and nobody asks for.

What it answers is the same: the names are moto's own, kept, and an expression in which a clause comes twice is judged by moto.
tests/local/aws/test_moto_repetitions.py compares both ways.
"""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, cast

from moto.core import serialize
from moto.dynamodb.parsing import ast_nodes, validators
from moto.kms import models as kms

ADDED = "_firnline_kept"
KEPT = "_firnline_keys"
ABSENT = object()
NODE, TRAVERSER = ast_nodes.Node, ast_nodes.DepthFirstTraverser  # type: ignore[attr-defined] # mypy looks at nothing of it
OWN_WALK = TRAVERSER.traverse_node_recursively
PROCESSED: dict[tuple[type, type], tuple[bool, bool]] = {}
"""Whether a class is a part of an expression, and one that a class of traversers processes."""
ENCRYPTS_ALONE = "SYMMETRIC_DEFAULT"
CLAUSES = ("UpdateExpressionAddClause", "UpdateExpressionRemoveClause", "UpdateExpressionSetClause")


def keep_what_repeats() -> None:
    """May be repeated. Changes nothing of a moto that has none of these classes."""
    serializer, counts = (
        getattr(serialize, "ResponseSerializer", None),
        getattr(validators, "ActionCountValidator", None),
    )
    if serializer is not None and hasattr(serialize, "XFormedAttributePicker") and ADDED not in vars(serializer):
        setattr(serializer, ADDED, True)
        _keep_names(serializer)
    if counts is not None and ADDED not in vars(counts):
        setattr(counts, ADDED, True)
        counts.traverse = _counted
        TRAVERSER.traverse_node_recursively = _traversed
    own_pair = getattr(kms, "generate_private_key", None)
    if own_pair is not None and ADDED not in vars(kms):
        setattr(kms, ADDED, True)
        setattr(kms, "generate_private_key", partial(_pair, own_pair))  # noqa: B010 # moto imports it from elsewhere


class PairWhenAsked:
    """The pair of RSA of a key that only encrypts: to make one takes a twentieth of a second, and a request alone asks for it."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    @cached_property
    def _pair(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._pair, name)


def _pair(make: Callable[[str], Any], key_spec: str) -> Any:
    return PairWhenAsked(partial(make, key_spec)) if key_spec == ENCRYPTS_ALONE else make(key_spec)


def _keep_names(serializer: Any) -> None:
    """The names by which a mapping may have a member follow from the member's shape alone."""
    own = serializer.get_value

    def get_value(self: Any, value: Any, key: str, shape: Any) -> Any:
        picker = self._value_picker
        is_usual = type(value) is dict and type(picker) is serialize.XFormedAttributePicker
        if not is_usual or picker.response_transformers or not hasattr(shape, "parent"):
            return own(self, value, key, shape)
        for name in _names(picker, key, shape):
            found = value.get(name, ABSENT)
            if found is not ABSENT:
                return found
        return None

    serializer.get_value = get_value


def _names(picker: Any, key: str, shape: Any) -> tuple[str, ...]:
    kept = shape.__dict__.get(KEPT)
    if kept is not None and kept[0] is shape.parent and kept[1] == key:
        return cast("tuple[str, ...]", kept[2])
    context = serialize.AttributePickerContext(obj={}, key=key, shape=shape)
    names = tuple(dict.fromkeys(picker.get_possible_keys(context)))
    setattr(shape, KEPT, (shape.parent, key, names))
    return names


def _counted(validator: Any, node: Any) -> Any:
    """moto counts the clauses below each part of an expression, and so a thousand times those of one with forty actions."""
    counts, left = dict.fromkeys(CLAUSES, 0), [node]
    while left:
        one = left.pop()
        if type(one).__name__ in counts:
            counts[type(one).__name__] += 1
        left += [child for child in one.children or () if isinstance(child, NODE)]
    return node if max(counts.values()) < 2 else validator.traverse_node_recursively(node)


def _traversed(traverser: Any, node: Any, child_id: int = -1) -> Any:
    """moto's own walk, but that it asks of each class once, and not of each part, whether a traverser processes it."""
    known = (type(traverser), type(node))
    if known not in PROCESSED:
        PROCESSED[known] = isinstance(node, NODE), isinstance(node, traverser.nodes_to_be_processed())
    is_node, is_processed = PROCESSED[known]
    if not is_node:
        return node
    parent = node.parent
    for place, child in enumerate(node.children or ()):
        traverser.pre_processing_of_child(node, place)
        traverser.traverse_node_recursively(child, place)
    if is_processed:
        node = traverser.process(node)
        node.parent = parent
        if parent:
            parent.children[child_id] = node
    return node
