"""The AWS services beside Kinesis: moto's, behind faults that are ours.

`python -m firnline_local.aws` is a process of the embedded environment; `AwsServer` is the same in a test.
"""

from firnline_local.aws.server import AwsServer

__all__ = ["AwsServer"]
