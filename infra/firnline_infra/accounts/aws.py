"""Calls to AWS, whose errors are reported as the deployer's: what was refused, on which object."""

from collections.abc import Iterator
from contextlib import contextmanager

from firnline_infra.accounts.errors import AwsRefused


@contextmanager
def aws_call(action: str, on: str) -> Iterator[None]:
    """Raises AwsRefused for any error of botocore's. It keeps the error's text only, so no key of a request is in it."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise AwsRefused(action, on, str(error)) from None
