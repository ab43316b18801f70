"""What the file endpoints answer when they do not do as they were asked: {"code", "success", "message", "data"}.

    FileApiError
    ├── Refused            401: the token
    ├── PipeUnknown        404, also where the role may not
    ├── Invalid            400
    └── TooOften           429

The statuses are documented (`user-guide/data-load-snowpipe-rest-apis`), the codes are believed.
"""

from http import HTTPStatus
from typing import ClassVar


class FileApiError(Exception):
    status: ClassVar[HTTPStatus]
    code: str

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Refused(FileApiError):
    status = HTTPStatus.UNAUTHORIZED

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class PipeUnknown(FileApiError):
    status = HTTPStatus.NOT_FOUND
    code = "390404"

    def __init__(self) -> None:
        super().__init__("Specified object does not exist or not authorized. Pipe not found")


class Invalid(FileApiError):
    status = HTTPStatus.BAD_REQUEST
    code = "390400"


class TooOften(FileApiError):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "390429"

    def __init__(self) -> None:
        super().__init__("Request rate limit exceeded.")
