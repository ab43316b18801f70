"""What no stack makes: refused, with commands that the AWS CLI would take."""

import shlex
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.by_hand import made_by_hand
from firnline_infra.specification.errors import MadeByHand
from firnline_ingest.errors import ConfigError

from .test_runtime import PODS, PROVIDER, SUBNETS, spec_of

EC2 = {"trust": "emr-ec2", "emr_ec2": {"subnet": SUBNETS[0]}}
EKS = {"trust": "emr-eks", "oidc_provider": PROVIDER, **PODS, "emr_eks": {}}
ADOPTED = {"origin": "adopt", "cluster_id": "j-2AXXXXXXGAPLF"}


def refusal_of(runtime: dict[str, Any]) -> MadeByHand | None:
    spec = spec_of(runtime)
    return made_by_hand(spec, blueprint_of(spec).runtime)


def words(refusal: MadeByHand | None, begin: str) -> list[str]:
    assert refusal is not None
    return shlex.split(next(line for line in str(refusal.next_step).splitlines() if begin in line).partition(begin)[2])


def test_a_cluster_is_left_to_a_person() -> None:
    said = words(refusal_of(EC2), "aws emr create-cluster ")
    assert "InstanceGroupType=CORE,InstanceType=m7g.xlarge,InstanceCount=2" in said
    assert f"InstanceProfile=firnline-dev-engine,SubnetId={SUBNETS[0]}" in said


def test_an_association_is_adopted_where_there_is_one() -> None:
    with pytest.raises(ConfigError, match="association"):
        spec_of({"trust": "emr-ec2", "association": "adopt"})


OPERATOR = {"trust": "pod-identity", **PODS, "service_account": "engine"}


@pytest.mark.parametrize(
    "runtime",
    [
        {"trust": "emr-ec2"},
        {"trust": "emr-ec2", "emr_ec2": ADOPTED},
        {**OPERATOR, "association": "adopt"},
        OPERATOR,
        EKS,
        {"trust": "emr-serverless"},
    ],
)
def test_what_is_adopted_or_made_is_not_refused(runtime: dict[str, Any]) -> None:
    assert refusal_of(runtime) is None
