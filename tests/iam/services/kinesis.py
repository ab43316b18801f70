"""Kinesis Data Streams (Service Authorization Reference, `list_amazonkinesis`).

Whoever asks names the stream, or has an iterator or a token that does; that one is resolved before it comes here.
"""

from collections.abc import Iterator

from tests.iam.request import Access, Request

EVERYWHERE = {
    *("DescribeAccountSettings", "DescribeLimits", "ListStreams", "UpdateAccountSettings"),
    # About one stream, and yet no action on one: the reference names no resource for them.
    *("DisableEnhancedMonitoring", "EnableEnhancedMonitoring", "UpdateShardCount", "UpdateStreamMode"),
}
CONSUMER = {"DescribeStreamConsumer", "DeregisterStreamConsumer", "SubscribeToShard"}
DECRYPTING = {"GetRecords", "SubscribeToShard"}
ENCRYPTING = {"PutRecord", "PutRecords"}
SWITCHING = {"StartStreamEncryption", "StopStreamEncryption"}  # on the stream, and on its key
TAGGING = {"CreateStream": "kinesis:AddTagsToStream", "RegisterStreamConsumer": "kinesis:TagResource"}
OF_AWS = "alias/aws/"  # keys that AWS manages need no permission


def accesses(request: Request) -> Iterator[Access]:
    parameters, action = request.parameters, f"kinesis:{request.operation}"
    if request.operation in EVERYWHERE:
        yield Access(action, "*", {"aws:RequestedRegion": request.region})
        return
    arn = _resource(request)
    yield Access(action, arn)
    if request.operation in TAGGING and parameters.get("Tags"):
        yield Access(TAGGING[request.operation], arn)
    if request.operation in SWITCHING and OF_AWS not in (key := parameters["NewKeyId"]):
        yield Access(action, request.directory.key_arn(key))
    if request.operation in DECRYPTING | ENCRYPTING and (key := parameters.get("KeyId")):
        yield from _key_use(request, arn.partition("/consumer/")[0], key)


def _resource(request: Request) -> str:
    """A consumer that is named with its stream has no time in its ARN (aws/aws-cdk#22184, read on 2026-11-28)."""
    parameters = request.parameters
    for name in ("ConsumerARN", "ResourceARN", "StreamARN"):
        if parameters.get(name):
            arn = str(parameters[name])
            consumer = parameters.get("ConsumerName")
            return f"{arn}/consumer/{consumer}" if request.operation in CONSUMER and consumer else arn
    return request.arn(f"stream/{parameters['StreamName']}") if parameters.get("StreamName") else "*"


def _key_use(request: Request, stream_arn: str, key: str) -> Iterator[Access]:
    """Kinesis uses the stream's key in the caller's name (developer guide, "Permissions to use KMS keys")."""
    if OF_AWS in key:
        return
    context = {
        "kms:ViaService": f"kinesis.{request.region}.amazonaws.com",
        "kms:EncryptionContext:aws:kinesis:arn": stream_arn,
    }
    action = "kms:Decrypt" if request.operation in DECRYPTING else "kms:GenerateDataKey"
    yield Access(action, request.directory.key_arn(key), context)
