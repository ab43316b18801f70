"""Errors of credentials: there is nothing to sign with, before the service that was wanted is asked at all."""

from firnline_ingest.errors import CredentialsError, Fatal, Retryable, declared


@declared
class RoleRefused(CredentialsError, Fatal):
    """STS says the same of a trust that does not name who asks, of a wrong external id, and of a role that does not exist."""

    role: str
    external_id: str | None
    cause: str

    id = "FL-1301"
    message = "The role {role} can't be assumed: {cause}"
    next_step = (
        "three things have to be true, and STS does not tell which is not: the role exists; its trust policy "
        "allows sts:AssumeRole to whom the message names, {condition}; and the policies of whom the message names allow "
        "sts:AssumeRole on the role (docs/credentials.md)."
    )
    causes = (
        "A role can't be assumed: it does not exist, its trust does not name who asks or wants another external id, or "
        "who asks may not"
    )
    remedy = "the message names who asked for what; all three are looked at in the role's account and in the engine's"

    @property
    def condition(self) -> str:
        return (
            f"where it asks for sts:ExternalId, for {self.external_id!r}, which is what was said"
            if self.external_id
            else "and ask for no sts:ExternalId: none was said (external_id of the role)"
        )


@declared
class StsUnreachable(CredentialsError, Retryable):
    role: str
    cause: str

    id = "FL-1302"
    message = "STS gave no session of the role {role}: {cause}"
    next_step = (
        "nothing is lost, and it is asked again by itself; if it lasts, check the network, aws.region and "
        "aws.endpoints.sts."
    )
    causes = (
        "Network, throttling, or 5xx of STS, when a session was due. Sessions end an hour after they began, and are "
        "asked for from two thirds of it on"
    )
    remedy = "the network, `aws.region`, `aws.endpoints.sts`"


@declared
class SourceExpired(CredentialsError, Retryable):
    """Credentials that a role is assumed with have expired, or the clock is wrong."""

    role: str
    cause: str

    id = "FL-1303"
    message = (
        "The role {role} can't be assumed now, because what it is assumed with was good before, and is not any more: "
        "{cause}"
    )
    next_step = (
        "nothing: where that comes from is asked again. If it lasts, look at what renews it (a profile's file and a "
        "token's file are read again, variables of the environment are not), and at the machine's clock."
    )
    causes = (
        "The credentials that a role is assumed with have expired: a profile's session, a token that was not replaced"
    )
    remedy = "what renews it; the machine's clock"


@declared
class WebIdentityMissing(CredentialsError, Fatal):
    file: str
    cause: str

    id = "FL-1304"
    message = "The file {file}, which should hold a web identity's token, can't be used: {cause}"
    next_step = (
        "correct web_identity.token_file, or give the process the file, on the driver and on every executor: a pod "
        "has it in a projected volume of its service account."
    )
    causes = (
        "The file of a web identity's token is missing, empty or not readable on the machine that the message comes "
        "from"
    )
    remedy = "`web_identity.token_file`, or the volume that should hold it"


@declared
class WebIdentityRefused(CredentialsError, Fatal):
    role: str
    file: str
    cause: str

    id = "FL-1305"
    message = "The role {role} can't be assumed with the token in {file}: {cause}"
    next_step = (
        "the role's trust has to allow sts:AssumeRoleWithWebIdentity to the token's issuer, which is an identity "
        "provider of the role's account, on the token's subject (sub) and audience (aud)."
    )
    causes = (
        "The token's issuer, subject or audience is not what the role's trust says, or the account has no such "
        "identity provider"
    )
    remedy = "the role's trust; `sub` and `aud` in the token"


@declared
class AccessKeyMissing(CredentialsError, Fatal):
    where: str
    lacks: str

    id = "FL-1306"
    message = "The access key should be in {where}, which {lacks}."
    next_step = (
        "put it there, on the driver and on every executor, or correct access_key in the configuration. A role needs "
        "no key at all."
    )
    causes = "A variable, or a secret, that should hold an access key does not"
    remedy = "put it there on the driver and on every executor, or use a role"


@declared
class ProfileUnusable(CredentialsError, Fatal):
    profile: str
    cause: str

    id = "FL-1307"
    message = "The profile {profile!r} gives no credentials: {cause}"
    next_step = (
        "check profile.name and profile.file in the configuration, on the driver and on every executor: `aws sts "
        "get-caller-identity --profile {profile}` has to answer there."
    )
    causes = "A profile is missing on the machine, or has nothing that gives credentials"
    remedy = "`aws sts get-caller-identity --profile NAME` there"


@declared
class SessionRefused(CredentialsError, Fatal):
    """STS does not take what was asked of it."""

    role: str
    cause: str

    id = "FL-1308"
    message = "STS gives no such session of the role {role}: {cause}"
    next_step = (
        "correct the role in the configuration: duration_seconds is at most the role's own maximum, and 3600 where it "
        "is assumed with another role's credentials."
    )
    causes = "STS does not give a session that long, or of that name"
    remedy = "`duration_seconds`: the role's maximum, and an hour in a chain of roles"
