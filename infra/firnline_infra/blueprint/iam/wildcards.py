"""Every `*` that a policy of ours holds, other than at the end of a folder in S3, with the reason. Tests hold all policies
against this list."""

from dataclasses import dataclass

from firnline_infra.blueprint.iam import bucket_policy, key_policy


@dataclass(frozen=True, kw_only=True)
class Wildcard:
    """`element` is the part of the statement: Action, Resource or Principal."""

    sid: str
    element: str
    value: str
    why: str


WILDCARDS = (
    Wildcard(
        sid=key_policy.SID,
        element="Action",
        value="kms:*",
        why="The account itself, no role: AWS's default for a key, without which no IAM policy can allow its use.",
    ),
    Wildcard(
        sid=key_policy.SID,
        element="Resource",
        value="*",
        why="In a key's policy it is the key; another resource can't be named there.",
    ),
    Wildcard(
        sid=bucket_policy.SID,
        element="Action",
        value="s3:*",
        why="It refuses: whatever is asked for without TLS.",
    ),
    Wildcard(sid=bucket_policy.SID, element="Principal", value="*", why="It refuses: whoever asks without TLS."),
)
