"""One environment, whole: everything that the specification of this stack asks for.

    firnline keys create dev ingest; firnline keys create dev reader
    cd stacks/pulumi && pulumi up -s dev

Pulumi.<stack>.yaml names the specification. Who connects comes from AWS_* and SNOWFLAKE_* variables.
"""

import pulumi

from firnline_infra.pulumi import environment, providers, specification

spec = specification()
outputs = environment(spec, pulumi.ResourceOptions(providers=providers(spec)))
for name, value in outputs.given().items():
    pulumi.export(name, value)
