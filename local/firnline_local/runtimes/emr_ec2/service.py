"""EMR's API for clusters on EC2 (API reference, 2009-03-31), as far as our stacks and clients ask it.

The rest is refused by name. A cluster is ready at once, and its machines are this one (machines.py). Its instance profile has
to exist, with a role.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from firnline_local.runtimes.emr_ec2.cluster import Cluster, check_carried, groups_of, new_id, resize
from firnline_local.runtimes.emr_ec2.errors import invalid_request
from firnline_local.runtimes.emr_ec2.machines import Instances, Machines
from firnline_local.runtimes.emr_ec2.steps import ClusterSteps
from firnline_local.runtimes.rest_json import invalid
from firnline_local.runtimes.service import LONGEST, Content, RuntimeService

MOST_STEP_IDS = 10
PROTECTED = "Could not shut down one or more job flows since they are termination protected."


class ClustersOnEc2(RuntimeService):
    name = "elasticmapreduce"

    def __init__(
        self,
        account: str,
        region: str,
        *,
        role_of: Callable[[str], str | None],
        machines: Callable[[Instances], Machines],
    ) -> None:
        """`role_of` says of an instance profile, by its name, which role it has."""
        super().__init__(account, region)
        self._role_of = role_of
        self._machines = machines
        self._made: dict[str, Cluster] = {}
        self._steps: dict[str, ClusterSteps] = {}

    def about(self, parameters: Mapping[str, Any]) -> str:
        named = (parameters.get(name) for name in ("ClusterId", "JobFlowId", "ResourceId"))
        found = next((each for each in named if each), None) or next(iter(parameters.get("JobFlowIds") or ()), "")
        return self.arn(f"cluster/{found}")

    def stop(self) -> None:
        for steps in list(self._steps.values()):
            steps.stop()

    def run_job_flow(self, given: Mapping[str, Any]) -> Content:
        check_carried(given)
        profile = str(given.get("JobFlowRole", "")).rpartition("/")[2]
        role = self._role_of(profile)
        if role is None:
            raise invalid(f"Invalid InstanceProfile: {profile}.")
        id_ = new_id("j")
        cluster = Cluster(
            id=id_,
            arn=self.arn(f"cluster/{id_}"),
            request=given,
            role_arn=role,
            created_at=self._clock(),
            step_concurrency_level=int(given.get("StepConcurrencyLevel", 1)),
            is_protected=bool(given["Instances"].get("TerminationProtected", False)),
            is_visible=bool(given.get("VisibleToAllUsers", True)),
            groups=groups_of(given),
            tags={each["Key"]: each.get("Value", "") for each in given.get("Tags") or ()},
        )
        steps = ClusterSteps(
            cluster,
            lambda: self._machines(cluster.machines),
            lock=self._lock,
            clock=self._clock,
            terminate=self._terminate,
        )
        added = given.get("Steps") or ()
        self._made[id_], self._steps[id_], self._tags[cluster.arn] = cluster, steps, cluster.tags
        if added:
            steps.add(added)
        return {"JobFlowId": id_, "ClusterArn": cluster.arn}

    def describe_cluster(self, given: Mapping[str, Any]) -> Content:
        cluster = self._cluster(given["ClusterId"])
        return {"Cluster": cluster.described(self._steps[cluster.id].is_busy)}

    def list_clusters(self, given: Mapping[str, Any]) -> Content:
        states = given.get("ClusterStates")
        found = [
            cluster.summary(self._steps[cluster.id].is_busy)
            for cluster in reversed(self._made.values())
            if given.get("CreatedAfter", 0) <= cluster.created_at.timestamp()
            and cluster.created_at.timestamp() <= given.get("CreatedBefore", float("inf"))
        ]
        return page("Clusters", [each for each in found if not states or each["Status"]["State"] in states], given)

    def list_instance_groups(self, given: Mapping[str, Any]) -> Content:
        cluster = self._cluster(given["ClusterId"])
        return page("InstanceGroups", [group.described(cluster.created_at) for group in cluster.groups], given)

    def modify_instance_groups(self, given: Mapping[str, Any]) -> Content:
        resize(self._alive(given["ClusterId"]), given.get("InstanceGroups") or ())
        return {}

    def modify_cluster(self, given: Mapping[str, Any]) -> Content:
        cluster = self._alive(given["ClusterId"])
        if given.get("StepConcurrencyLevel") is not None:
            level = int(given["StepConcurrencyLevel"])
            if not 1 <= level <= 256:  # API reference, ModifyCluster: "a minimum value of 1 and a maximum of 256"
                raise invalid(f"StepConcurrencyLevel {level} is not between 1 and 256.")
            cluster.step_concurrency_level = level
            self._steps[cluster.id].start_pending()
        return {"StepConcurrencyLevel": cluster.step_concurrency_level}

    def set_termination_protection(self, given: Mapping[str, Any]) -> Content:
        for each in given["JobFlowIds"]:
            self._alive(each).is_protected = bool(given["TerminationProtected"])
        return {}

    def set_visible_to_all_users(self, given: Mapping[str, Any]) -> Content:
        for each in given["JobFlowIds"]:
            self._alive(each).is_visible = bool(given["VisibleToAllUsers"])
        return {}

    def add_tags(self, given: Mapping[str, Any]) -> Content:
        self._cluster(given["ResourceId"]).tags.update({each["Key"]: each.get("Value", "") for each in given["Tags"]})
        return {}

    def remove_tags(self, given: Mapping[str, Any]) -> Content:
        cluster = self._cluster(given["ResourceId"])
        for each in given["TagKeys"]:
            cluster.tags.pop(each, None)
        return {}

    def terminate_job_flows(self, given: Mapping[str, Any]) -> Content:
        """Clusters that are not protected end also where others are (API reference, TerminateJobFlows)."""
        clusters = [self._cluster(each) for each in given["JobFlowIds"]]
        for cluster in clusters:
            if not cluster.is_protected:
                self._terminate(cluster)
        if any(cluster.is_protected and not cluster.is_over for cluster in clusters):
            raise invalid(PROTECTED)
        return {}

    def add_job_flow_steps(self, given: Mapping[str, Any]) -> Content:
        cluster = self._alive(given["JobFlowId"])
        if given.get("ExecutionRoleArn"):
            raise invalid(f"Runtime roles are not enabled on cluster {cluster.id}: it has no security configuration.")
        return {"StepIds": self._steps[cluster.id].add(given["Steps"])}

    def list_steps(self, given: Mapping[str, Any]) -> Content:
        """The newest first."""
        steps, ids, states = self._steps_of(given["ClusterId"]), given.get("StepIds"), given.get("StepStates")
        if ids and states:
            raise invalid_request("Cannot specify both StepIds and StepStates.")
        if ids and len(ids) > MOST_STEP_IDS:
            raise invalid_request(f"Number of step ids must be at most {MOST_STEP_IDS}.")
        found = [steps.found(each) for each in ids] if ids else list(reversed(steps.steps.values()))
        return page("Steps", [step.described() for step in found if not states or step.state in states], given)

    def describe_step(self, given: Mapping[str, Any]) -> Content:
        return {"Step": self._steps_of(given["ClusterId"]).found(given["StepId"]).described()}

    def cancel_steps(self, given: Mapping[str, Any]) -> Content:
        steps = self._steps_of(self._alive(given["ClusterId"]).id)
        option = given.get("StepCancellationOption", "SEND_INTERRUPT")
        return {"CancelStepsInfoList": [steps.cancel(each, option) for each in given["StepIds"]]}

    def _terminate(self, cluster: Cluster) -> None:
        """At once, as far as anybody sees; its processes go as fast as they can."""
        with self._lock:
            if cluster.is_over:
                return
            cluster.ended_at = self._clock()
        threading.Thread(target=self._steps[cluster.id].stop, name=cluster.id).start()

    def _cluster(self, id_: str) -> Cluster:
        if id_ not in self._made:
            raise invalid_request(f"Cluster id '{id_}' is not valid.")
        return self._made[id_]

    def _alive(self, id_: str) -> Cluster:
        cluster = self._cluster(id_)
        if cluster.is_over:
            raise invalid(f"A job flow that is shutting down, terminated, or finished may not be modified: {id_}.")
        return cluster

    def _steps_of(self, id_: str) -> ClusterSteps:
        return self._steps[self._cluster(id_).id]


def page(name: str, items: list[Any], given: Mapping[str, Any]) -> Content:
    """Returns up to 50; markers say how many were answered before. Raises ServiceError for one that is not."""
    marker = given.get("Marker", "0")
    if not marker.isdecimal():
        raise invalid_request("Marker is not valid.")
    first = int(marker)
    following = {"Marker": str(first + LONGEST)} if first + LONGEST < len(items) else {}
    return {name: items[first : first + LONGEST], **following}
