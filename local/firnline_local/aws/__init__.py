"""The AWS services beside Kinesis: moto's, behind our own faults and the rules of AWS that moto lacks.

`python -m firnline_local.aws` is a process of the embedded environment; `server.AwsServer` is the same in a thread.
"""
