"""CI of a team's repository: where it is, and which of its jobs AWS lets into the two roles of CI.

A provider of CI signs a token for each job, and AWS compares the token's subject. What no subject says, AWS can't know.
"""

from dataclasses import dataclass
from typing import Protocol

from firnline_infra.blueprint.iam import Conditions
from firnline_infra.environment import Environment

AUDIENCE = "sts.amazonaws.com"
GITHUB, GITLAB = "token.actions.githubusercontent.com", "gitlab.com"
SUBJECT_OF_GITLAB = ("project_path", "ref_type", "ref", "environment_protected", "deployment_tier")
"""What a subject has to be made of, a setting of the project: by itself it ends with the branch, and any job of that would do."""
TIERS = {
    "staging": ("sta", "stg", "pre", "non", "demo", "model"),
    "testing": ("test", "qa", "qc", "int"),
    "development": ("dev", "review", "trunk", "local"),
}
PREVIEW_TIER = "other"


class CiProvider(Protocol):
    @property
    def title(self) -> str:
        """The title of its OIDC provider in the template."""

    @property
    def sid(self) -> str:
        """The Sid of its statement in a trust."""

    @property
    def host(self) -> str:
        """The host in the provider's ARN and condition keys: without https://."""

    def conditions(self, environment: Environment, *, deploys: bool) -> Conditions:
        """Returns the conditions on a token that open the role which deploys, or the one that reads."""


@dataclass(frozen=True, kw_only=True)
class GitHub:
    repository: str
    """OWNER/NAME; OWNER@ID/NAME@ID where GitHub puts the ids into its subjects."""
    branch: str = "main"
    title = "GitHub"
    sid = "GitHubActions"
    host = GITHUB

    def conditions(self, environment: Environment, *, deploys: bool) -> Conditions:
        """Nobody approves the daily comparison: it is known by its branch, which no pull request's job has. GitHub makes an
        environment that a job names and that is not there, and lets everybody in.
        """
        of_environment = f"repo:{self.repository}:environment:"
        if deploys:
            return _equal(self.host, f"{of_environment}{environment.name}")
        previews = (
            f"{of_environment}{preview_environment(environment)}",
            f"repo:{self.repository}:ref:refs/heads/{self.branch}",
        )
        return _equal(self.host, previews)


@dataclass(frozen=True, kw_only=True)
class GitLab:
    project: str
    """GROUP/PROJECT, with all subgroups."""
    branch: str = "main"
    host: str = GITLAB
    title = "GitLab"
    sid = "GitLabJobs"

    def conditions(self, environment: Environment, *, deploys: bool) -> Conditions:
        """No subject names the environment, only that it is protected and its tier. A name of a branch has no colon, so that
        the pattern stands for the branch alone.
        """
        of_project = f"project_path:{self.project}:ref_type:branch:ref:"
        of_environment = "environment_protected:true:deployment_tier:"
        if deploys:
            return _equal(self.host, f"{of_project}{self.branch}:{of_environment}{tier_of(environment)}")
        subject = f"{of_project}*:{of_environment}{PREVIEW_TIER}"
        return {"StringEquals": {f"{self.host}:aud": AUDIENCE}, "StringLike": {f"{self.host}:sub": subject}}


def preview_environment(environment: Environment) -> str:
    """The environment on the provider whose approval a preview waits for; up's is named as ours."""
    return f"{environment.name}-preview"


def tier_of(environment: Environment) -> str:
    """The tier that GitLab derives from the name; never the one of previews, whose jobs would be let into the role that
    deploys."""
    return next(
        (tier for tier, parts in TIERS.items() if any(part in environment.name for part in parts)), "production"
    )


def _equal(host: str, subject: str | tuple[str, ...]) -> Conditions:
    return {"StringEquals": {f"{host}:aud": AUDIENCE, f"{host}:sub": subject}}
