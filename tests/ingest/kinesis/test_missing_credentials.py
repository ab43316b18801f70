"""Credentials that are not there are not called a right that is missing."""

import pytest
from botocore.exceptions import NoCredentialsError, PartialCredentialsError, ProfileNotFound

from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.errors import StreamCredentialsMissing


@pytest.mark.parametrize(
    "error",
    [
        NoCredentialsError(),
        PartialCredentialsError(provider="env", cred_var="AWS_SECRET_ACCESS_KEY"),
        ProfileNotFound(profile="ops"),
    ],
)
def test_they_are_named_and_the_next_step_is_not_a_right(error: Exception) -> None:
    explained = kinesis_error(error, operation="ListShards", stream="orders")
    assert isinstance(explained, StreamCredentialsMissing)
    assert "No AWS credentials were found" in explained.what
    assert str(error) in explained.what
    assert "allow" not in explained.next_step
