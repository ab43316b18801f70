"""EKS, as far as Pod Identity goes (API reference of EKS, 2017-11-01): one association for a service account of a cluster.

Clusters are not made here; everything but associations and their tags is refused by name.
"""

import secrets
from collections.abc import Callable, Collection, Mapping
from typing import Any

from firnline_local.runtimes.errors import ServiceError, not_found
from firnline_local.runtimes.pages import page
from firnline_local.runtimes.small_service import Content, SmallService

KEPT = ("clusterName", "namespace", "serviceAccount", "roleArn", "disableSessionTags")
SHOWN = ("clusterName", "namespace", "serviceAccount", "associationArn", "associationId")
NOT_CARRIED = ("targetRoleArn", "policy")
NO_ROLE = "Role provided in the request does not exist."


class PodIdentity(SmallService):
    name = "eks"

    def __init__(
        self, account: str, region: str, *, clusters: Callable[[], Collection[str]], has_role: Callable[[str], bool]
    ) -> None:
        """`clusters` are the names of those that there are; `has_role` says of an ARN whether IAM has the role."""
        super().__init__(account, region)
        self._clusters, self._has_role = clusters, has_role
        self._made: dict[str, dict[str, Any]] = {}

    def about(self, parameters: Mapping[str, Any]) -> str:
        id_ = parameters.get("associationId")
        found = self._made.get(id_) if id_ else None
        return str(found["associationArn"]) if found else super().about(parameters)

    def roles(self) -> dict[str, str]:
        """What pods run as: by namespace/account."""
        with self._lock:
            return {f"{each['namespace']}/{each['serviceAccount']}": each["roleArn"] for each in self._made.values()}

    def create_pod_identity_association(self, given: Mapping[str, Any]) -> Content:
        token = given.get("clientRequestToken")
        used = _invalid(f"Client request token {token} was used with other parameters before.")
        return self._once(token, given, used, lambda: self._created(given))

    def describe_pod_identity_association(self, given: Mapping[str, Any]) -> Content:
        return {"association": self._told(self._found(given))}

    def list_pod_identity_associations(self, given: Mapping[str, Any]) -> Content:
        self._in(given["clusterName"])
        wanted = {name: given[name] for name in ("clusterName", "namespace", "serviceAccount") if name in given}
        found = [each for each in self._made.values() if wanted.items() <= each.items()]
        return page("associations", [{name: each[name] for name in SHOWN} for each in found], given)

    def update_pod_identity_association(self, given: Mapping[str, Any]) -> Content:
        found = self._found(given)
        self._check(given)
        found |= {name: given[name] for name in ("roleArn", "disableSessionTags") if given.get(name) is not None}
        found["modifiedAt"] = self._clock()
        return {"association": self._told(found)}

    def delete_pod_identity_association(self, given: Mapping[str, Any]) -> Content:
        found = self._found(given)
        told = self._told(found)
        del self._made[found["associationId"]], self._tags[found["associationArn"]]
        return {"association": told}

    def _created(self, given: Mapping[str, Any]) -> Content:
        self._in(given["clusterName"])
        self._check(given)
        whose = {name: given[name] for name in ("clusterName", "namespace", "serviceAccount")}
        if (there := next((each for each in self._made.values() if whose.items() <= each.items()), None)) is not None:
            raise ServiceError(409, "ResourceInUseException", f"Association already exists: {there['associationId']}")
        id_, now = f"a-{secrets.token_hex(9)[:17]}", self._clock()
        arn = self.arn(f"podidentityassociation/{given['clusterName']}/{id_}")
        kept = {"disableSessionTags": False, **{name: given[name] for name in KEPT if given.get(name) is not None}}
        self._made[id_] = {**kept, "associationArn": arn, "associationId": id_, "createdAt": now, "modifiedAt": now}
        self._tags[arn] = dict(given.get("tags") or {})
        return {"association": self._told(self._made[id_])}

    def _check(self, given: Mapping[str, Any]) -> None:
        if ignored := [name for name in NOT_CARRIED if given.get(name)]:
            raise _invalid(f"The embedded EKS does not carry {', '.join(ignored)}.")
        if given.get("roleArn") is not None and not self._has_role(given["roleArn"]):
            raise _invalid(NO_ROLE)

    def _in(self, cluster: str) -> None:
        if cluster not in self._clusters():
            raise not_found(f"No cluster found for name: {cluster}.")

    def _told(self, made: Mapping[str, Any]) -> dict[str, Any]:
        return {**made, "tags": dict(self._tags[made["associationArn"]])}

    def _found(self, given: Mapping[str, Any]) -> dict[str, Any]:
        self._in(given["clusterName"])
        found = self._made.get(given["associationId"])
        if found is None or found["clusterName"] != given["clusterName"]:
            raise not_found(f"The association {given['associationId']} does not exist.")
        return found


def _invalid(message: str) -> ServiceError:
    return ServiceError(400, "InvalidParameterException", message)
