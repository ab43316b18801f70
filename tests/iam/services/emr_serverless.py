"""EMR Serverless (Service Authorization Reference, `list_amazonemrserverless`).

`parameters` are the request's, with the tags of what it is about as `ResourceTags`. A run is started *on* an application, with
a role that has to be passed.
"""

from collections.abc import Iterator, Mapping

from tests.iam.request import Access, Request

EVERYWHERE = {"ListApplications"}
ON_APPLICATION = {"GetApplication", "UpdateApplication", "DeleteApplication", "StartApplication", "StopApplication"}
OF_RUNS = {"StartJobRun", "ListJobRuns"}  # on the application, too
OF_RUN = {"GetJobRun", "CancelJobRun", "ListJobRunAttempts", "GetDashboardForJobRun"}
PASSED_TO = "emr-serverless.amazonaws.com"


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action, context = f"emr-serverless:{operation}", _context(parameters)
    if operation in EVERYWHERE:
        return iter((Access(action, "*", context),))
    if operation == "CreateApplication":
        return iter(_created(request, context))
    if operation in ON_APPLICATION | OF_RUNS | OF_RUN:
        return iter(_on_application(request, context))
    if "resourceArn" in parameters:
        return iter((Access(action, str(parameters["resourceArn"]), context),))
    return None


def _created(request: Request, context: Mapping[str, str]) -> Iterator[Access]:
    """The object's id is the service's: a policy can name it only by a tag."""
    yield Access("emr-serverless:CreateApplication", "*", context)
    if request.parameters.get("tags"):
        yield Access("emr-serverless:TagResource", "*", context)


def _on_application(request: Request, context: Mapping[str, str]) -> Iterator[Access]:
    parameters = request.parameters
    application = request.arn(f"/applications/{parameters['applicationId']}")
    run = f"{application}/jobruns/{parameters.get('jobRunId')}"
    resource = run if request.operation in OF_RUN else application
    yield Access(f"emr-serverless:{request.operation}", resource, context)
    if request.operation == "StartJobRun":
        yield Access("iam:PassRole", str(parameters["executionRoleArn"]), {"iam:PassedToService": PASSED_TO})
        if parameters.get("tags"):
            yield Access("emr-serverless:TagResource", f"{application}/jobruns/*", context)


def _context(parameters: Mapping[str, object]) -> dict[str, str]:
    tags, of_resource = parameters.get("tags"), parameters.get("ResourceTags")
    found = dict[str, str]()
    for key, values in (("aws:RequestTag", tags), ("aws:ResourceTag", of_resource)):
        if isinstance(values, Mapping):
            found |= {f"{key}/{name}": str(value) for name, value in values.items()}
    return found
