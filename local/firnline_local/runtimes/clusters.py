"""Virtual clusters of EMR on EKS (API reference, 2020-10-01), and associations of EKS Pod Identity: the role of a service
account.

Job runs are emr_eks.py's. EKS clusters are not made here: everything else is refused by name. A namespace of an EKS cluster has
one virtual cluster that is not terminated; a terminated one is remembered, and does not come back.
"""

import secrets
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from firnline_local.runtimes.emr_eks import OVER, EksJobs
from firnline_local.runtimes.jobs.submission import Launcher
from firnline_local.runtimes.rest_json import ServiceError, invalid, not_found
from firnline_local.runtimes.service import Content, RuntimeService, page

RUNNING, TERMINATED = "RUNNING", "TERMINATED"
ID_LENGTH = 25
NOT_OF_CLUSTERS = ("securityConfigurationId", "sessionEnabled", "schedulerConfiguration")


class VirtualClusters(RuntimeService):
    name = "emr-containers"

    def __init__(
        self,
        account: str,
        region: str,
        *,
        clusters: Callable[[], Collection[str]],
        launch: Launcher,
        roles: Callable[[], Mapping[str, str]],
    ) -> None:
        """`clusters` are the names of the EKS clusters that there are, `roles` those of Pod Identity, by namespace/account."""
        super().__init__(account, region)
        self._clusters = clusters
        self._jobs = EksJobs(launch, self._lock, self._clock, roles)
        self._made: dict[str, dict[str, Any]] = {}

    def about(self, parameters: Mapping[str, Any]) -> str:
        cluster, id_ = parameters.get("virtualClusterId"), parameters.get("id")
        if cluster and id_:
            return f"{self.arn(f'/virtualclusters/{cluster}')}/jobruns/{id_}"
        return self.arn(f"/virtualclusters/{cluster or id_}") if cluster or id_ else super().about(parameters)

    def stop(self) -> None:
        self._jobs.stop()

    def create_virtual_cluster(self, given: Mapping[str, Any]) -> Content:
        used = invalid(f"Client token {given.get('clientToken')} was used with other parameters before.")
        return self._once(given.get("clientToken"), given, used, lambda: self._created(given))

    def describe_virtual_cluster(self, given: Mapping[str, Any]) -> Content:
        return {"virtualCluster": self._description(self._found(given["id"]))}

    def list_virtual_clusters(self, given: Mapping[str, Any]) -> Content:
        states, eks = given.get("states"), given.get("containerProviderId")
        found = [
            self._description(each)
            for each in self._made.values()
            if (not states or each["state"] in states) and (not eks or each["containerProvider"]["id"] == eks)
        ]
        return page("virtualClusters", found, given)

    def delete_virtual_cluster(self, given: Mapping[str, Any]) -> Content:
        found = self._found(given["id"])
        if found["state"] == TERMINATED:
            raise invalid(f"Virtual cluster {found['id']} is already terminated.")
        if left := [run.id for run in self._jobs.of(found["id"]) if run.state not in OVER]:
            raise invalid(f"Virtual cluster {found['id']} has job runs that are not over: {', '.join(left)}.")
        found["state"] = TERMINATED
        return {"id": found["id"]}

    def start_job_run(self, given: Mapping[str, Any]) -> Content:
        token = given["clientToken"]
        used = invalid(f"Client token {token} was used with other parameters before.")
        return self._once(f"{given['virtualClusterId']} {token}", given, used, lambda: self._started(given))

    def describe_job_run(self, given: Mapping[str, Any]) -> Content:
        return {"jobRun": self._jobs.found(given["virtualClusterId"], given["id"]).described()}

    def list_job_runs(self, given: Mapping[str, Any]) -> Content:
        self._found(given["virtualClusterId"])
        states, name = given.get("states"), given.get("name")
        found = [
            run.described()
            for run in reversed(self._jobs.of(given["virtualClusterId"]))
            if (not states or run.state in states)
            and (not name or run.request.get("name") == name)
            and given.get("createdAfter", run.created_at)
            <= run.created_at
            <= given.get("createdBefore", run.created_at)
        ]
        return page("jobRuns", found, given)

    def cancel_job_run(self, given: Mapping[str, Any]) -> Content:
        run = self._jobs.found(given["virtualClusterId"], given["id"])
        self._jobs.cancel(run)
        return {"id": run.id, "virtualClusterId": given["virtualClusterId"]}

    def _started(self, given: Mapping[str, Any]) -> Content:
        run = self._jobs.start(given, self._found(given["virtualClusterId"]), self._caller)
        self._tags[run.arn] = run.tags
        answer = {name: given[name] for name in ("name", "virtualClusterId") if name in given}
        return {**answer, "id": run.id, "arn": run.arn}

    def _created(self, given: Mapping[str, Any]) -> Content:
        provider = given["containerProvider"]
        namespace = provider.get("info", {}).get("eksInfo", {}).get("namespace")
        if ignored := [name for name in NOT_OF_CLUSTERS if given.get(name)]:
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

    def _description(self, made: Mapping[str, Any]) -> dict[str, Any]:
        return {**made, "tags": dict(self._tags[made["arn"]])}

    def _found(self, id_: str) -> dict[str, Any]:
        if id_ not in self._made:
            raise ServiceError(400, "ResourceNotFoundException", f"Virtual cluster {id_} doesn't exist.")
        return self._made[id_]


KEPT = ("clusterName", "namespace", "serviceAccount", "roleArn", "disableSessionTags")
SHOWN = ("clusterName", "namespace", "serviceAccount", "associationArn", "associationId")
NOT_OF_ASSOCIATIONS = ("targetRoleArn", "policy")
NO_ROLE = "Role provided in the request does not exist."


class PodIdentity(RuntimeService):
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
        """Returns the roles that pods run as: by namespace/account."""
        with self._lock:
            return {f"{each['namespace']}/{each['serviceAccount']}": each["roleArn"] for each in self._made.values()}

    def create_pod_identity_association(self, given: Mapping[str, Any]) -> Content:
        token = given.get("clientRequestToken")
        used = _invalid(f"Client request token {token} was used with other parameters before.")
        return self._once(token, given, used, lambda: self._created(given))

    def describe_pod_identity_association(self, given: Mapping[str, Any]) -> Content:
        return {"association": self._description(self._found(given))}

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
        return {"association": self._description(found)}

    def delete_pod_identity_association(self, given: Mapping[str, Any]) -> Content:
        found = self._found(given)
        found_before = self._description(found)
        del self._made[found["associationId"]], self._tags[found["associationArn"]]
        return {"association": found_before}

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
        return {"association": self._description(self._made[id_])}

    def _check(self, given: Mapping[str, Any]) -> None:
        if ignored := [name for name in NOT_OF_ASSOCIATIONS if given.get(name)]:
            raise _invalid(f"The embedded EKS does not carry {', '.join(ignored)}.")
        if given.get("roleArn") is not None and not self._has_role(given["roleArn"]):
            raise _invalid(NO_ROLE)

    def _in(self, cluster: str) -> None:
        if cluster not in self._clusters():
            raise not_found(f"No cluster found for name: {cluster}.")

    def _description(self, made: Mapping[str, Any]) -> dict[str, Any]:
        return {**made, "tags": dict(self._tags[made["associationArn"]])}

    def _found(self, given: Mapping[str, Any]) -> dict[str, Any]:
        self._in(given["clusterName"])
        found = self._made.get(given["associationId"])
        if found is None or found["clusterName"] != given["clusterName"]:
            raise not_found(f"The association {given['associationId']} does not exist.")
        return found


def _invalid(message: str) -> ServiceError:
    return ServiceError(400, "InvalidParameterException", message)
