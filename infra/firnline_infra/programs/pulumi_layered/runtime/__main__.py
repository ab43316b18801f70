"""The third of three stacks of an environment: what the engine is and reads, and what watches it. See docs/layered-stacks.md.

cd stacks/pulumi-layered/runtime && pulumi up -s dev
"""

import pulumi

from firnline_infra import blueprint_of
from firnline_infra.pulumi import aws_provider, either, from_stacks, resolved, runtime, specification

spec, (organization, stack) = specification(), (pulumi.get_organization(), pulumi.get_stack())
below = [pulumi.StackReference(f"{organization}/firnline-{layer}/{stack}") for layer in ("foundation", "warehouse")]
known = from_stacks(*(each.require_output("references") for each in below))
blueprint = blueprint_of(spec)
made = runtime(blueprint, known, pulumi.ResourceOptions(providers=[aws_provider(spec)]))
for name, value in resolved(blueprint.stack_outputs, either(made, known)).given().items():
    pulumi.export(name, value)
