"""A whole environment in one stack."""

import pulumi

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.stack_outputs import StackOutputs
from firnline_infra.pulumi.layers import foundation, runtime, warehouse
from firnline_infra.pulumi.references import Made, resolved
from firnline_infra.specification.model import EnvironmentSpec


def environment(spec: EnvironmentSpec, opts: pulumi.ResourceOptions) -> StackOutputs:
    """Everything that the specification asks for. `opts` names the two providers (`providers`)."""
    tree = blueprint_of(spec)
    made: Made = foundation(tree, opts)
    made |= warehouse(tree, made.__getitem__, opts)
    made |= runtime(spec, tree, made.__getitem__, opts)
    return resolved(tree.stack_outputs, made.__getitem__)
