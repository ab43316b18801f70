"""Which client an environment's specification asks for, and what its service calls the place where the engine runs."""

from firnline_infra.accounts import Accounts
from firnline_infra.rollout.runtime import Runtime
from firnline_infra.rollout.services.emr_serverless import EmrServerlessRuntime, application_id
from firnline_infra.runtimes.errors import StartedByHand
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names


def place_of(spec: EnvironmentSpec, accounts: Accounts) -> str:
    """The id of an adopted one is in the specification; one that was made is found by its name. Raises PlaceMissing."""
    runtime = spec.aws.runtime
    if runtime.emr_serverless is not None:
        given = runtime.emr_serverless.application_id
        return given or application_id(accounts.aws("emr-serverless"), Names.of(spec).application, spec.name)
    raise StartedByHand(spec.name)


def runtime_of(spec: EnvironmentSpec, accounts: Accounts, place: str) -> Runtime:
    """Raises StartedByHand."""
    if spec.aws.runtime.emr_serverless is not None:
        return EmrServerlessRuntime(accounts.aws("emr-serverless"), accounts.aws("s3"), accounts.aws("iam"), place)
    raise StartedByHand(spec.name)
