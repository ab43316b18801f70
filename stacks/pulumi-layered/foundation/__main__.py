"""The first of three stacks of an environment: what holds data, and changes hardly ever. See docs/layered-stacks.md.

cd stacks/pulumi-layered/foundation && pulumi up -s dev
"""

import pulumi

from firnline_infra import blueprint_of
from firnline_infra.pulumi import as_output, aws_provider, foundation, specification

spec = specification()
made = foundation(blueprint_of(spec), pulumi.ResourceOptions(providers=[aws_provider(spec)]))
pulumi.export("references", as_output(made))
