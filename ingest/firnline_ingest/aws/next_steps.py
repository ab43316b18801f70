"""Next steps of a person after a refusal of AWS, whichever service said it."""

WHO_ASKED = "to the role or user that it names: the engine's, or that of who runs the command (docs/permissions.md)"
"""To whom a right is given that was missing."""
GIVE_CREDENTIALS = (
    "give the process credentials: the engine those of its role (an instance profile, a pod's service account, "
    "aws.credentials), a command your own (AWS_PROFILE, aws sso login). `aws sts get-caller-identity` has to answer there. "
    'For what `firnline local up` runs: eval "$(firnline local env)".'
)
REPORT_REQUEST = (
    "nothing is lost. If aws.endpoints names an endpoint, see that it is the service's. If it is, this is a defect of "
    "Firnline, which waiting does not heal: report this message."
)
"""A service says that a request is not one of its own."""
STALE_CREDENTIALS = (
    "of an engine, nothing: it asks its chain of credentials again, and goes on with what that gives. If it lasts, put new ones "
    "where they come from (a profile's file is read again; variables of the environment are not: start the engine again), "
    "and check the machine's clock. A command of yours: log in again (aws sso login), and run it again."
)
"""They were good once, or the clock is wrong."""
