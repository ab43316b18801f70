"""The Redshift Data API (API reference, 2019-12-20): a statement is taken at once, and ends later; who sent it asks how.

One statement runs at a time here. What it says is done when it was taken, and reported from the second DescribeStatement on.
"""

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from firnline_local.record import CARRIED_OUT
from firnline_local.runtimes.redshift.catalog import ADMIN
from firnline_local.runtimes.redshift.control import RedshiftServerless
from firnline_local.runtimes.redshift.ingestion import Client, StreamReader
from firnline_local.runtimes.redshift.schedules import count_end
from firnline_local.runtimes.redshift.statements import StatementError
from firnline_local.runtimes.rest_json import invalid, not_found
from firnline_local.runtimes.service import Content, RuntimeService

if TYPE_CHECKING:
    from firnline_local.runtimes.redshift.database import RedshiftDatabase, ResultSet

CARRIED = {
    "Sql",
    "Database",
    "WorkgroupName",
    "ClusterIdentifier",
    "DbUser",
    "SecretArn",
    "StatementName",
    "ClientToken",
    "WithEvent",
}
SERVICE = "redshift.amazonaws.com"
UNKNOWN_ENDPOINT = "Redshift endpoint doesn't exist in this region."


@dataclass
class SentStatement:
    id: str
    owner: str
    sql: str
    at: dt.datetime
    answer: "ResultSet | None"
    error: str
    described: int = 0
    where: Content = field(default_factory=dict)

    @property
    def status(self) -> str:
        if self.described < 2:
            return "STARTED"
        return "FAILED" if self.answer is None else "FINISHED"


class RedshiftData(RuntimeService):
    name = "redshift-data"

    def __init__(self, account: str, region: str, serverless: RedshiftServerless, client: Client) -> None:
        super().__init__(account, region)
        self._serverless, self._client = serverless, client
        self._databases: dict[tuple[str, str], RedshiftDatabase] = {}
        self._sent: dict[str, SentStatement] = {}

    def about(self, parameters: Mapping[str, Any]) -> str:
        """The workgroup's, whose tags decide too."""
        return self._serverless.about({"workgroupName": parameters.get("WorkgroupName", "")})

    def tags_of(self, parameters: Mapping[str, Any]) -> Mapping[str, str]:
        return self._serverless.tags_of({"workgroupName": parameters.get("WorkgroupName", "")})

    def execute_statement(self, given: Mapping[str, Any]) -> Content:
        if foreign := sorted(given.keys() - CARRIED):
            raise invalid(f"The embedded Data API does not carry {', '.join(foreign)}.")
        used = invalid("Idempotent parameters do not match the previous request.")
        return self._once(given.get("ClientToken"), given, used, lambda: self._run(given))

    def _run(self, given: Mapping[str, Any]) -> Content:
        database = self._database(given)
        answer, error = None, ""
        try:
            if given.get("Database") != database.database:
                raise StatementError(f'FATAL: database "{given.get("Database")}" does not exist')
            answer = database.execute(given["Sql"], self._user(given))
            CARRIED_OUT.note(dialect="redshift", sql=given["Sql"])
        except StatementError as refusal:
            error = f"ERROR: {refusal}".replace("ERROR: FATAL", "FATAL")
        database.refresh_automatic()
        id_, now = str(uuid4()), self._clock()
        where = {name: given[name] for name in ("Database", "WorkgroupName", "ClusterIdentifier") if name in given}
        if given.get("WithEvent"):
            count_end(self._client, given.get("StatementName", ""), "FAILED" if answer is None else "FINISHED")
        self._sent[id_] = SentStatement(id_, self._caller, given["Sql"], now, answer, error, where=where)
        return {"Id": id_, "CreatedAt": now, **where}

    def describe_statement(self, given: Mapping[str, Any]) -> Content:
        sent = self._found(given["Id"])
        sent.described += 1
        failed = {"Error": sent.error} if sent.status == "FAILED" else {}
        rows = len(sent.answer.rows) if sent.answer and sent.status == "FINISHED" else -1
        return {
            **{name: value for name, value in sent.where.items() if name != "Database"},
            "Id": sent.id,
            "Status": sent.status,
            "QueryString": sent.sql,
            "HasResultSet": bool(sent.answer and sent.answer.columns),
            "ResultRows": rows,
            "CreatedAt": sent.at,
            "UpdatedAt": self._clock(),
            **failed,
        }

    def get_statement_result(self, given: Mapping[str, Any]) -> Content:
        sent = self._found(given["Id"])
        if sent.status != "FINISHED" or sent.answer is None or not sent.answer.columns:
            raise not_found("Query does not have result. Please check query status with DescribeStatement.")
        return {
            "ColumnMetadata": [{"name": name, "label": name, "typeName": type_} for name, type_ in sent.answer.columns],
            "Records": [[_field(value) for value in row] for row in sent.answer.rows],
            "TotalNumRows": len(sent.answer.rows),
        }

    def _found(self, id_: str) -> SentStatement:
        sent = self._sent.get(id_)
        if sent is None or sent.owner != self._caller:
            raise not_found(f"Query {id_} doesn't exist.")
        return sent

    def _user(self, given: Mapping[str, Any]) -> str:
        """A secret's, where one is named; else an administrator of the account gets a superuser's credentials."""
        if "SecretArn" in given:
            return str(json.loads(self._secret(given["SecretArn"]))["username"])
        if ":role/" in self._caller or ":assumed-role/" in self._caller:
            parts = self._caller.partition("role/")[2].split("/")
            role = parts[0] if ":assumed-role/" in self._caller else parts[-1]
            return str(given.get("DbUser") or f"IAMR:{role}")
        return ADMIN

    def _secret(self, arn: str) -> str:
        secrets = self._client("secretsmanager")
        try:
            return str(secrets.get_secret_value(SecretId=arn)["SecretString"])
        except secrets.exceptions.ResourceNotFoundException:
            raise invalid(f"Secrets Manager can't find the specified secret {arn}.") from None

    def _database(self, given: Mapping[str, Any]) -> "RedshiftDatabase":
        if (cluster := given.get("ClusterIdentifier")) is not None:
            return self._of_cluster(cluster)
        group = self._serverless.workgroups.get(given.get("WorkgroupName", ""))
        if group is None:
            raise invalid(UNKNOWN_ENDPOINT)
        namespace = self._serverless.namespaces[group["namespaceName"]]

        def parameters() -> dict[str, str]:
            return {each["parameterKey"]: each["parameterValue"] for each in group["configParameters"]}

        def source(role: str, user: str) -> StreamReader:
            attached = [each.partition("iamRoleArn=")[2].rstrip(")") for each in namespace["iamRoles"]]
            place = f"serverless-{self._account}-{group['workgroupId']}"
            return self._source(role, attached, namespace["defaultIamRoleArn"], place, user)

        return self._known(
            ("namespace", namespace["namespaceArn"]),
            namespace["dbName"],
            lambda: parameters()["enable_case_sensitive_identifier"] == "true",
            source,
        )

    def _of_cluster(self, identifier: str) -> "RedshiftDatabase":
        redshift = self._client("redshift")

        def cluster() -> Any:
            return redshift.describe_clusters(ClusterIdentifier=identifier)["Clusters"][0]

        def source(role: str, user: str) -> StreamReader:
            attached = [each["IamRoleArn"] for each in cluster().get("IamRoles", ())]
            return self._source(role, attached, cluster().get("DefaultIamRoleArn"), identifier, user)

        try:
            database = cluster()["DBName"]
        except redshift.exceptions.ClientError:
            raise invalid(UNKNOWN_ENDPOINT) from None

        def is_case_sensitive() -> bool:
            """No group's parameters are kept: one that is not AWS's own is there to turn it on."""
            groups = cluster().get("ClusterParameterGroups", ())
            return any(not each["ParameterGroupName"].startswith("default.") for each in groups)

        return self._known(("cluster", identifier), database, is_case_sensitive, source)

    def _known(
        self,
        place: tuple[str, str],
        name: str,
        is_case_sensitive: Callable[[], bool],
        source: Callable[[str, str], StreamReader],
    ) -> "RedshiftDatabase":
        """Makes each database once: to start a DuckDB takes longer than most statements. What reads their SQL is loaded with
        the first one: most environments have none."""
        from firnline_local.runtimes.redshift.database import RedshiftDatabase

        if place not in self._databases:
            made = RedshiftDatabase(name, case_sensitive=is_case_sensitive, source=source, client=self._client)
            self._databases[place] = made
        return self._databases[place]

    def _source(self, role: str, attached: list[str], default: str | None, place: str, user: str) -> StreamReader:
        wanted = default if role == "default" else role
        if wanted is None or wanted not in attached:
            raise StatementError(f"The requested role {wanted or 'default'} is not associated to cluster")
        return StreamReader(
            role_arn=wanted, service=SERVICE, place=place, account=self._account, region=self._region, user=user
        )


def _field(value: Any) -> Content:
    match value:
        case None:
            return {"isNull": True}
        case bool():
            return {"booleanValue": value}
        case int():
            return {"longValue": value}
        case float():
            return {"doubleValue": value}
        case bytes():
            return {"stringValue": value.hex()}
        case dt.datetime():
            return {"stringValue": value.isoformat(sep=" ")}
        case _:
            return {"stringValue": str(value)}
