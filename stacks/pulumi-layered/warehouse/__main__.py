"""The second of three stacks of an environment: volumes and everything in Snowflake. See docs/layered-stacks.md.

cd stacks/pulumi-layered/warehouse && pulumi up -s dev
"""

import pulumi

from firnline_infra import blueprint_of
from firnline_infra.pulumi import as_output, from_stacks, providers, specification, warehouse

spec = specification()
stack = f"{pulumi.get_organization()}/firnline-foundation/{pulumi.get_stack()}"
known = from_stacks(pulumi.StackReference(stack).require_output("references"))
made = warehouse(blueprint_of(spec), known, pulumi.ResourceOptions(providers=providers(spec)))
pulumi.export("references", as_output(made))
