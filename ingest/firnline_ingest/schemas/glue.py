"""AWS Glue's Schema Registry: GetSchemaVersion by the id of a version, which stands in front of each record.

A version's definition never changes. What its status is does not matter: a record was written with it.
"""

from typing import Any
from uuid import UUID

from botocore.exceptions import BotoCoreError, ClientError

from firnline_ingest.aws.codes import DENIED, NO_CREDENTIALS, STALE, THROTTLED, UNKNOWN_CALLER
from firnline_ingest.aws.next_steps import WHO_ASKED
from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.errors import CredentialsError, SchemaRegistryError
from firnline_ingest.schemas.errors import (
    RegistryForbidden,
    RegistryStrange,
    RegistryThrottled,
    RegistryUnreachable,
)

NOT_FOUND = "EntityNotFoundException"
RIGHT = f"allow glue:GetSchemaVersion {WHO_ASKED}; if there are no credentials, give the process some"


class GlueSchemas:
    """`client` is Glue's."""

    def __init__(self, client: Any, region: str) -> None:
        self._client, self._name = client, f"of AWS Glue in {region}"

    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        try:
            answer = self._client.get_schema_version(SchemaVersionId=str(schema_id))
        except ClientError as error:
            if error.response["Error"]["Code"] == NOT_FOUND:
                return None
            raise self._refused(error) from error
        except NO_CREDENTIALS as error:
            raise RegistryForbidden(self._name, str(error), right=RIGHT) from error
        except CredentialsError as error:
            raise RegistryForbidden(self._name, error.what, right=error.next_step) from error
        except BotoCoreError as error:
            raise RegistryUnreachable(self._name, f"GetSchemaVersion: {error}") from error
        text, kind = answer.get("SchemaDefinition"), answer.get("DataFormat")
        if not (isinstance(text, str) and isinstance(kind, str)):
            raise RegistryStrange(self._name, f"GetSchemaVersion: only {sorted(answer)} is in it")
        return RegisteredSchema(text, kind)

    def _refused(self, error: ClientError) -> SchemaRegistryError:
        code = error.response["Error"]["Code"]
        cause = f"glue:GetSchemaVersion: {code}: {error.response['Error'].get('Message', '')}"
        if code in THROTTLED:
            return RegistryThrottled(self._name, cause)
        if code in DENIED | UNKNOWN_CALLER | STALE:
            return RegistryForbidden(self._name, cause, right=RIGHT)
        return RegistryUnreachable(self._name, cause)
