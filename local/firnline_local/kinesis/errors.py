"""Refusals of the service, under the names of its API reference."""


class FakeKinesisError(Exception):
    """A refusal as a client sees it: the service's code, its message, and the HTTP status."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.status = status

    def __reduce__(self) -> tuple[type["FakeKinesisError"], tuple[str, str, int]]:
        return type(self), (self.code, self.message, self.status)


def invalid_argument(message: str) -> FakeKinesisError:
    return FakeKinesisError("InvalidArgumentException", message)


def validation(message: str) -> FakeKinesisError:
    """A value outside the constraints that the API's model puts on its field."""
    return FakeKinesisError("ValidationException", message)


def not_found(message: str) -> FakeKinesisError:
    return FakeKinesisError("ResourceNotFoundException", message)


def in_use(message: str) -> FakeKinesisError:
    return FakeKinesisError("ResourceInUseException", message)


def limit_exceeded(message: str) -> FakeKinesisError:
    return FakeKinesisError("LimitExceededException", message)


def rate_exceeded(shard_id: str, stream: str, account_id: str) -> FakeKinesisError:
    message = f"Rate exceeded for shard {shard_id} in stream {stream} under account {account_id}."
    return FakeKinesisError("ProvisionedThroughputExceededException", message)


def not_carried(what: str, instead: str) -> FakeKinesisError:
    """The error for what this fake does not do: it says so rather than pretend."""
    return FakeKinesisError("UnknownOperationException", f"FakeKinesis does not carry {what}: {instead}.")
