"""Virtual clusters of EMR on EKS (API reference of EMR on EKS, 2020-10-01). No job runs in them: those are refused by name.

A namespace of an EKS cluster has one that is not terminated. A terminated one is remembered, and does not come back.
"""

import secrets
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from firnline_local.runtimes.errors import ServiceError, invalid
from firnline_local.runtimes.pages import page
from firnline_local.runtimes.small_service import Content, SmallService

RUNNING, TERMINATED = "RUNNING", "TERMINATED"
ID_LENGTH = 25
NOT_CARRIED = ("securityConfigurationId", "sessionEnabled", "schedulerConfiguration")


class VirtualClusters(SmallService):
    name = "emr-containers"

    def __init__(self, account: str, region: str, *, clusters: Callable[[], Collection[str]]) -> None:
        """`clusters` are the names of the EKS clusters that there are."""
        super().__init__(account, region)
        self._clusters = clusters
        self._made: dict[str, dict[str, Any]] = {}

    def about(self, parameters: Mapping[str, Any]) -> str:
        id_ = parameters.get("virtualClusterId") or parameters.get("id")
        return self.arn(f"/virtualclusters/{id_}") if id_ else super().about(parameters)

    def create_virtual_cluster(self, given: Mapping[str, Any]) -> Content:
        used = invalid(f"Client token {given.get('clientToken')} was used with other parameters before.")
        return self._once(given.get("clientToken"), given, used, lambda: self._created(given))

    def describe_virtual_cluster(self, given: Mapping[str, Any]) -> Content:
        return {"virtualCluster": self._told(self._found(given["id"]))}

    def list_virtual_clusters(self, given: Mapping[str, Any]) -> Content:
        states, eks = given.get("states"), given.get("containerProviderId")
        found = [
            self._told(each)
            for each in self._made.values()
            if (not states or each["state"] in states) and (not eks or each["containerProvider"]["id"] == eks)
        ]
        return page("virtualClusters", found, given)

    def delete_virtual_cluster(self, given: Mapping[str, Any]) -> Content:
        found = self._found(given["id"])
        if found["state"] == TERMINATED:
            raise invalid(f"Virtual cluster {found['id']} is already terminated.")
        found["state"] = TERMINATED
        return {"id": found["id"]}

    def list_job_runs(self, given: Mapping[str, Any]) -> Content:
        self._found(given["virtualClusterId"])
        return page("jobRuns", [], given)

    def _created(self, given: Mapping[str, Any]) -> Content:
        provider = given["containerProvider"]
        namespace = provider.get("info", {}).get("eksInfo", {}).get("namespace")
        if ignored := [name for name in NOT_CARRIED if given.get(name)]:
            raise invalid(f"The embedded EMR on EKS does not carry {', '.join(ignored)}.")
        if not namespace:
            raise invalid("A namespace is required for EKS.")
        if provider["id"] not in self._clusters():
            raise invalid(f"Cluster {provider['id']} is not found.")
        if any(self._is_at(each, provider["id"], namespace) for each in self._made.values()):
            raise invalid("A virtual cluster already exists in the given namespace")
        return self._kept(given, self._clock())

    def _kept(self, given: Mapping[str, Any], now: datetime) -> Content:
        id_ = "".join(secrets.choice("0123456789abcdefghijklmnopqrstuvwxyz") for _ in range(ID_LENGTH))
        made = {"id": id_, "arn": self.arn(f"/virtualclusters/{id_}"), "name": given["name"]}
        provider = given["containerProvider"]
        self._made[id_] = {**made, "state": RUNNING, "containerProvider": provider, "createdAt": now}
        self._tags[made["arn"]] = dict(given.get("tags") or {})
        return made

    def _is_at(self, made: Mapping[str, Any], cluster: str, namespace: str) -> bool:
        provider = made["containerProvider"]
        place = (provider["id"], provider["info"]["eksInfo"]["namespace"])
        return made["state"] != TERMINATED and place == (cluster, namespace)

    def _told(self, made: Mapping[str, Any]) -> dict[str, Any]:
        return {**made, "tags": dict(self._tags[made["arn"]])}

    def _found(self, id_: str) -> dict[str, Any]:
        if id_ not in self._made:
            raise ServiceError(400, "ResourceNotFoundException", f"Virtual cluster {id_} doesn't exist.")
        return self._made[id_]
