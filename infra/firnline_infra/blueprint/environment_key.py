"""The environment's KMS key: the bootstrap makes it, an administrator keeps it, and everybody else only uses it.

Its ARN is AWS's to give. The template knows it as what it makes; once it is recorded beside the specification, whoever asks
for rights outside of the template knows it too.
"""

from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.specification.origin import Origin

ENVIRONMENT_KEY = Reference("EnvironmentKey", "Arn")


def key_of(environment: Environment) -> Value | None:
    """Returns None if AWS manages the keys."""
    if environment.aws.key.origin is Origin.SKIP:
        return None
    return environment.aws.key.arn or ENVIRONMENT_KEY
