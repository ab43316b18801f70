"""Every `*` and `?` that a policy of ours holds, other than at the end of a bucket or of a folder in it, with the reason.
Tests hold all policies against this list, both ways."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.blueprint.iam.resource_policies import BUCKET_SID, KEY_SID

KEY = "…:key/*"
SECRET = "…:secret:…-??????"  # noqa: S105 (the end of an ARN)


@dataclass(frozen=True, kw_only=True)
class Wildcard:
    """`element` is the part of the statement: Action, Resource or Principal. In `value`, … is anything without * and ?."""

    sid: str
    element: str = "Resource"
    value: str
    why: str

    def covers(self, sid: str, element: str, value: str) -> bool:
        pattern = re.escape(self.value).replace("…", "[^*?]+")
        return (sid, element) == (self.sid, self.element) and re.fullmatch(pattern, value) is not None


def _same(value: str, why: str, *sids: str) -> Iterator[Wildcard]:
    return (Wildcard(sid=sid, value=value, why=why) for sid in sids)


WILDCARDS = (
    Wildcard(
        sid=KEY_SID,
        element="Action",
        value="kms:*",
        why="The account itself, no role: AWS's default for a key, without which no IAM policy can allow its use.",
    ),
    Wildcard(sid=KEY_SID, value="*", why="In a key's policy it is the key; another resource can't be named there."),
    Wildcard(
        sid=BUCKET_SID,
        element="Action",
        value="s3:*",
        why="It refuses: whatever is asked for without TLS.",
    ),
    Wildcard(sid=BUCKET_SID, element="Principal", value="*", why="It refuses every caller without TLS."),
    *(
        Wildcard(sid=sid, element=element, value="*", why="It refuses, those whom its condition names; the key itself.")
        for sid in ("EnvironmentAdministersNothing", "EnvironmentGrantsToServicesAlone")
        for element in ("Principal", "Resource")
    ),
    Wildcard(
        sid="NeverStatesKey",
        element="Action",
        value="kms:*",
        why="It refuses: the key of Pulumi's state, to any statement that a specification adds.",
    ),
    *_same(KEY, "It refuses: keys with the alias of the state's.", "NeverStatesKey"),
    *_same("*", "AWS can't narrow ListStreams to some streams; it tells names alone, in the region.", "FindStreams"),
    *_same(
        "*", "A record names a schema's version, and neither its registry nor its name; in the region.", "ReadSchemas"
    ),
    *_same("…:stream/…*", "The streams that a pattern may find, by the beginning of their names.", "ReadStreams"),
    *_same("…:cluster/*", "EMR makes up a cluster's id; a node only looks.", "NodeOfCluster"),
    *_same("…:s3:::…/*", "AWS's own buckets, which anybody may read: a node installs itself from them.", "InstallNode"),
    *_same("…:log-stream:*", "EMR Serverless makes up the streams of the log group.", "SendLogs"),
    *_same("*", "AWS can't narrow it to a group; it only lists, in the region.", "FindLogGroups"),
    *_same(
        "*",
        "AWS can't narrow these actions to a resource; they are narrowed to the region.",
        "Unbound",
        "FindApplication",
        "FindVirtualCluster",
        "FindCluster",
    ),
    *_same(
        "*", "AWS can't narrow a registry's password; the role's own rights narrow what it opens.", "LogInToRegistry"
    ),
    *_same(
        "*",
        "It has no ARN while it is made; the tag that it gets is asked for.",
        *("MakeApplication", "MakeVirtualCluster", "MakeCluster"),
    ),
    *_same(
        "…:cluster/*",
        "EMR makes up a cluster's id; a tag says whose it is, or, while it is made, that it is to be ours.",
        *("OwnCluster", "TagNewCluster", "SeeSteps", "RunSteps"),
    ),
    *_same(
        "…:/virtualclusters/*",
        "AWS makes up a virtual cluster's id; a tag says whose it is, or, while it is made, that it is to be ours.",
        *("OwnVirtualCluster", "TagNewVirtualCluster", "LookForJobs", "StartJob"),
    ),
    *_same(
        "…:/virtualclusters/*/jobruns/*",
        "AWS makes up the ids of virtual clusters and of jobs; a job's tag says whose it is.",
        *("SeeJobs", "CancelJob", "TagNewJob"),
    ),
    *_same(
        "…:/virtualclusters/…/jobruns/*",
        "The jobs of an adopted virtual cluster, whose ids AWS makes up.",
        *("SeeJobs", "CancelJob", "TagNewJob"),
    ),
    *_same(
        "…:podidentityassociation/…/*",
        "AWS makes up an association's id; a tag says whose it is, or, while it is made, that it is to be ours.",
        *("OwnPodIdentityAssociation", "TagNewAssociation"),
    ),
    *_same(
        "…:security-group/*",
        "AWS makes up a group's id; a tag says whose it is, or, while it is made, that it is to be ours.",
        *("OwnSecurityGroup", "MakeSecurityGroup", "TagNewSecurityGroup", "GuardEndpoint"),
    ),
    *_same(
        "…:vpc-endpoint/*",
        "AWS makes up an endpoint's id; a tag says whose it is, or, while it is made, that it is to be ours.",
        *("OwnVpcEndpoint", "MakeEndpoint", "TagNewEndpoint"),
    ),
    *_same("…:hostedzone/*", "Asked for by EC2 alone: the private zone of an endpoint is AWS's.", "NameEndpoint"),
    *_same(
        "…:/applications/*",
        "AWS makes up an application's id; a tag says whose it is, or, while it is made, that it is to be ours.",
        *("OwnApplication", "TagNewApplication"),
    ),
    *_same("…:/applications/*", "The same; a tag says whose it is.", "RunEngine"),
    *_same(
        "…:/applications/*/jobruns/*",
        "AWS makes up the ids of applications and of runs; a run's tag says whose it is.",
        *("SeeRuns", "CancelRuns", "TagNewRun"),
    ),
    *_same(
        "…:/applications/…/jobruns/*",
        "The runs of an adopted application, whose ids AWS makes up.",
        *("SeeRuns", "CancelRuns", "TagNewRun"),
    ),
    *(
        Wildcard(
            sid="ReachNetwork", value=f"…:{kind}/*", why="Asked for by EMR Serverless alone, in whichever network."
        )
        for kind in ("network-interface", "subnet", "security-group")
    ),
    *_same(
        "…:log-group:…:*",
        "The end of a log group's ARN, as AWS writes it for all but its tags.",
        *("OwnLogGroup", "FindLogStreams"),
    ),
    *_same("*", "AWS can't narrow it to a user, and IAM is in no region. It only lists.", "ListDevices"),
    *_same(
        SECRET,
        "Six letters of AWS's own, at the end of every secret's ARN.",
        *("OwnSecret", "KeepPrivateKeys", "KeepAccessKey", "OpenPrivateKey", "WithinSecretsmanager"),
    ),
    *_same("…:stream/…/consumer/…:*", "The time of registration, at the end of a consumer's ARN.", "OwnStreamConsumer"),
    *(
        Wildcard(sid=sid, value=value, why="The boundary: a limit of what policies may give, in this account alone.")
        for sid, value in {
            "WithinKinesis": "…:stream/*",
            "WithinConsumers": "…:stream/*/consumer/*",
            "WithinKeysOfAws": KEY,
        }.items()
    ),
)
