"""What a service answers where it refuses."""

from collections.abc import Sequence


class ServiceError(Exception):
    """An error that goes to the client as the service's own."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def validation_error(problems: Sequence[str]) -> ServiceError:
    """All problems at once, counted as AWS's services count them."""
    plural = "s" if len(problems) != 1 else ""
    counted = f"{len(problems)} validation error{plural} detected: {'; '.join(problems)}"
    return ServiceError(400, "ValidationException", counted)


def invalid(message: str) -> ServiceError:
    """What the model allows and the service does not."""
    return ServiceError(400, "ValidationException", message)


def not_found(message: str) -> ServiceError:
    return ServiceError(404, "ResourceNotFoundException", message)


def conflict(message: str) -> ServiceError:
    return ServiceError(409, "ConflictException", message)
