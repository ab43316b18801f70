"""Namespaces and workgroups of Redshift Serverless (API reference, 2021-04-21), as far as a stack and the Data API need them."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from firnline_local.runtimes.rest_json import ServiceError, conflict, invalid, not_found
from firnline_local.runtimes.service import Content, RuntimeService, page

OF_NAMESPACES = {"namespaceName", "dbName", "defaultIamRoleArn", "iamRoles", "manageAdminPassword", "tags"}
OF_WORKGROUPS = {
    *("workgroupName", "namespaceName", "baseCapacity", "configParameters", "enhancedVpcRouting", "publiclyAccessible"),
    *("securityGroupIds", "subnetIds", "tags"),
}
PARAMETERS = {
    "auto_mv": "true",
    "datestyle": "ISO, MDY",
    "enable_case_sensitive_identifier": "false",
    "enable_user_activity_logging": "true",
    "query_group": "default",
    "require_ssl": "true",
    "search_path": "$user, public",
    "use_fips_ssl": "false",
}
"""Of a workgroup that says none (API reference, CreateWorkgroup)."""
DEFAULT_CAPACITY = 128
SUBNETS = 3
"""Management guide, "Considerations when using Amazon Redshift Serverless" (2026-11-30); the refusal's words are not known."""


class RedshiftServerless(RuntimeService):
    name = "redshift-serverless"

    def __init__(self, account: str, region: str) -> None:
        super().__init__(account, region)
        self.namespaces: dict[str, Content] = {}
        self.workgroups: dict[str, Content] = {}

    def about(self, parameters: Mapping[str, Any]) -> str:
        """An update and a removal name a workgroup, or a namespace."""
        if (group := self.workgroups.get(parameters.get("workgroupName", ""))) is not None:
            return str(group["workgroupArn"])
        space = self.namespaces.get(parameters.get("namespaceName", ""))
        return str(space["namespaceArn"]) if space and "workgroupName" not in parameters else super().about(parameters)

    def create_namespace(self, given: Mapping[str, Any]) -> Content:
        _carried(given, OF_NAMESPACES)
        name = given["namespaceName"]
        if name in self.namespaces:
            raise conflict(f"Namespace {name} already exists.")
        id_ = str(uuid4())
        self.namespaces[name] = {
            "namespaceName": name,
            "namespaceId": id_,
            "namespaceArn": self.arn(f"namespace/{id_}"),
            "dbName": given.get("dbName", "dev"),
            "iamRoles": _roles(given),
            "defaultIamRoleArn": given.get("defaultIamRoleArn"),
            "status": "AVAILABLE",
            "creationDate": self._clock(),
            **_password(given, name),
        }
        self._tags[self.arn(f"namespace/{id_}")] = _tags(given)
        return {"namespace": self.namespaces[name]}

    def get_namespace(self, given: Mapping[str, Any]) -> Content:
        return {"namespace": self._namespace(given)}

    def list_namespaces(self, given: Mapping[str, Any]) -> Content:
        return page("namespaces", list(self.namespaces.values()), given)

    def update_namespace(self, given: Mapping[str, Any]) -> Content:
        _carried(given, OF_NAMESPACES - {"dbName", "tags"})
        found = self._namespace(given)
        if "iamRoles" in given:
            found["iamRoles"] = _roles(given)
        if "defaultIamRoleArn" in given:
            found["defaultIamRoleArn"] = given["defaultIamRoleArn"] or None
        return {"namespace": found}

    def delete_namespace(self, given: Mapping[str, Any]) -> Content:
        found = self._namespace(given)
        name = found["namespaceName"]
        if any(each["namespaceName"] == name for each in self.workgroups.values()):
            raise conflict(f"Namespace {name} has a workgroup associated with it.")
        self._tags.pop(self.namespaces.pop(name)["namespaceArn"])
        return {"namespace": {**found, "status": "DELETING"}}

    def create_workgroup(self, given: Mapping[str, Any]) -> Content:
        _carried(given, OF_WORKGROUPS)
        name, namespace = given["workgroupName"], self._namespace(given)["namespaceName"]
        if name in self.workgroups:
            raise conflict(f"Workgroup {name} already exists.")
        if any(each["namespaceName"] == namespace for each in self.workgroups.values()):
            raise conflict(f"Namespace {namespace} is associated with another workgroup.")
        if given.get("subnetIds") and len(given["subnetIds"]) < SUBNETS:
            raise invalid(f"A workgroup needs {SUBNETS} subnets, in {SUBNETS} Availability Zones.")
        id_ = str(uuid4())
        self.workgroups[name] = {
            "workgroupName": name,
            "workgroupId": id_,
            "workgroupArn": self.arn(f"workgroup/{id_}"),
            "namespaceName": namespace,
            "baseCapacity": given.get("baseCapacity", DEFAULT_CAPACITY),
            "configParameters": _parameters(given),
            "enhancedVpcRouting": given.get("enhancedVpcRouting", False),
            "publiclyAccessible": given.get("publiclyAccessible", False),
            "securityGroupIds": given.get("securityGroupIds") or ["sg-00000000"],
            "subnetIds": given.get("subnetIds") or [f"subnet-0000000{number}" for number in range(3)],
            "status": "AVAILABLE",
            "creationDate": self._clock(),
        }
        self._tags[self.arn(f"workgroup/{id_}")] = _tags(given)
        return {"workgroup": self.workgroups[name]}

    def get_workgroup(self, given: Mapping[str, Any]) -> Content:
        return {"workgroup": self.workgroup(given["workgroupName"])}

    def list_workgroups(self, given: Mapping[str, Any]) -> Content:
        return page("workgroups", list(self.workgroups.values()), given)

    def update_workgroup(self, given: Mapping[str, Any]) -> Content:
        _carried(given, OF_WORKGROUPS - {"namespaceName", "tags"})
        found = self.workgroup(given["workgroupName"])
        changed = {name: value for name, value in given.items() if name != "configParameters"}
        found.update(
            changed, configParameters=_parameters(given) if "configParameters" in given else found["configParameters"]
        )
        return {"workgroup": found}

    def delete_workgroup(self, given: Mapping[str, Any]) -> Content:
        found = self.workgroup(given["workgroupName"])
        self._tags.pop(self.workgroups.pop(given["workgroupName"])["workgroupArn"])
        return {"workgroup": {**found, "status": "DELETING"}}

    def list_tags_for_resource(self, given: Mapping[str, Any]) -> Content:
        return {"tags": [{"key": key, "value": value} for key, value in self._tagged(given).items()]}

    def tag_resource(self, given: Mapping[str, Any]) -> Content:
        self._tagged(given).update(_tags(given))
        return {}

    def workgroup(self, name: str) -> Content:
        if name not in self.workgroups:
            raise not_found(f"Workgroup {name} does not exist.")
        return self.workgroups[name]

    def _namespace(self, given: Mapping[str, Any]) -> Content:
        if given["namespaceName"] not in self.namespaces:
            raise not_found(f"Namespace {given['namespaceName']} does not exist.")
        return self.namespaces[given["namespaceName"]]


def _carried(given: Mapping[str, Any], known: set[str]) -> None:
    if foreign := sorted(given.keys() - known):
        raise ServiceError(400, "ValidationException", f"The embedded Redshift does not carry {', '.join(foreign)}.")


def _roles(given: Mapping[str, Any]) -> list[str]:
    """The roles in the service's form, not plain ARNs (terraform-provider-aws, redshiftserverless/namespace.go)."""
    return [f"IamRole(applyStatus=in-sync, iamRoleArn={arn})" for arn in given.get("iamRoles") or ()]


def _tags(given: Mapping[str, Any]) -> dict[str, str]:
    return {each["key"]: each["value"] for each in given.get("tags") or ()}


def _password(given: Mapping[str, Any], name: str) -> Content:
    if not given.get("manageAdminPassword"):
        return {}
    return {
        "adminUsername": "admin",
        "adminPasswordSecretArn": f"arn:aws:secretsmanager:::secret:redshift!{name}-admin",
    }


def _parameters(given: Mapping[str, Any]) -> list[dict[str, str]]:
    said = {each["parameterKey"]: each["parameterValue"] for each in given.get("configParameters") or ()}
    return [{"parameterKey": key, "parameterValue": value} for key, value in {**PARAMETERS, **said}.items()]
