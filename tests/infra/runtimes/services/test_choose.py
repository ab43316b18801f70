import base64
from urllib.parse import parse_qs, urlsplit

import boto3

from firnline_infra.runtimes.emr_eks.cluster import eks_token


class Accounts:
    def aws(self, service: str) -> object:
        return boto3.client(service, region_name="eu-central-1", aws_access_key_id="A", aws_secret_access_key="S")


def test_a_token_for_eks_is_a_signed_question_who_we_are_that_names_the_cluster() -> None:
    kind, _, coded = eks_token(Accounts(), "platform").partition(".")
    url = urlsplit(base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode())
    query = parse_qs(url.query)
    assert kind == "k8s-aws-v1"
    assert query["Action"] == ["GetCallerIdentity"]
    assert query["X-Amz-SignedHeaders"] == ["host;x-k8s-aws-id"]
