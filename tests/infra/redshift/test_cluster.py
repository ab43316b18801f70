"""A provisioned cluster that is made, through Pulumi's program, under the deployer's own policy, to rows in a view."""

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pulumi
import pytest

from firnline_infra.accounts.errors import AwsRefused
from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.kinds.redshift import CLUSTER as KIND
from firnline_infra.observe.existing import StackResources
from firnline_infra.pulumi import environment as render
from firnline_infra.pulumi import providers
from firnline_infra.redshift import RedshiftViews
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.specification import parse_spec
from firnline_infra.specification.names import Names
from firnline_local.provisioning import bootstrap
from firnline_local.pulumi.in_process.application import ProgramApplication
from tests.iam.running import calls_of, enforce_statements
from tests.infra.redshift.test_side_by_side import BOTH, client_of

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.contract
SPECIFICATION = (
    BOTH.replace("name: both", "name: provisioned")
    .replace("Both.Orders", "Provisioned.Orders")
    .replace("  case_sensitive: true", "  default_role: true\n  case_sensitive: true")
    .replace("  workgroup: {}", "  cluster: {node_type: ra3.xlplus, nodes: 2, parameter_group: capitals}")
    .replace("FIRNLINE_BOTH", "FIRNLINE_PROVISIONED")
)
CLUSTER, ANY = (f"arn:aws:redshift:us-east-1:000000000000:cluster:{each}" for each in ("firnline-provisioned", "*"))
NEEDED = ("redshift-data:ExecuteStatement", "redshift:GetClusterCredentials", "redshift:DescribeClusters")


def test_a_cluster_is_made_private_and_encrypted_and_its_administrator_owns_the_views(
    local_environment: "RunningEnvironment",
) -> None:
    spec = bootstrap(local_environment, parse_spec(SPECIFICATION, "provisioned"))
    blueprint, application = blueprint_of(spec), ProgramApplication(local_environment)
    assert blueprint.redshift is not None
    assert blueprint.redshift.cluster is not None
    views = RedshiftViews(blueprint.redshift, local_environment.client, lambda _: None)
    assert views.ahead()[0][1] == "view public.orders reads stream Provisioned.Orders"  # before there is a cluster

    def whole() -> None:
        render(spec, pulumi.ResourceOptions(providers=providers(spec, role=str(Names.of(spec).deploy_role))))

    group = {
        "ParameterGroupName": "capitals",
        "ParameterGroupFamily": "redshift-2.0",
        "Description": "names have capitals",
    }
    local_environment.client("redshift").create_cluster_parameter_group(**group)
    mark = calls_of(local_environment).mark
    application.up(whole, stack=spec.name, project="firnline")
    try:
        assert StackResources.of(application.state).has(KIND.token, blueprint.redshift.cluster)
        (found,) = local_environment.client("redshift").describe_clusters()["Clusters"]
        assert (found["PubliclyAccessible"], found["Encrypted"], found["EnhancedVpcRouting"]) == (False, True, True)
        assert (found["NodeType"], found["NumberOfNodes"], found["MasterUsername"]) == ("ra3.xlplus", 2, "admin")
        assert "redshift!" in found["MasterPasswordSecretArn"]
        assert previews(spec, "redshift-data:ExecuteStatement") is False
        document = policy_document(deployer_statements(blueprint))["Statement"]
        theirs = replace(views, aws=partial(client_of, local_environment))
        role = "arn:aws:iam::000000000000:role/deploy-firnline-provisioned"
        key = "DEPLOYER-OF-BOTH"
        for taken in NEEDED:
            without = [{**each, "Action": [one for one in each["Action"] if one != taken]} for each in document]
            enforce_statements(local_environment, key, principal=role, statements=without)
            with pytest.raises(AwsRefused, match=taken):
                theirs.apply()
        enforce_statements(local_environment, key, principal=role, statements=document)
        assert theirs.apply() == theirs.differences() == []
        local_environment.put_events("Provisioned.Orders", [b'{"kind": "order"}'])
        assert rows(theirs, "SELECT kind FROM order_kinds")[0]["kind"] == "order"
    finally:
        application.destroy()
        local_environment.client("redshift").delete_cluster_parameter_group(ParameterGroupName="capitals")
    assert local_environment.client("redshift").describe_clusters()["Clusters"] == []
    asked = {each for each in calls_of(local_environment, mark).accesses() if each[0].startswith("redshift:")}
    lived = {
        (f"redshift:{each}", CLUSTER) for each in ("CreateCluster", "CreateTags", "DescribeClusters", "DeleteCluster")
    }
    assert lived <= asked
    granted = {(action, resource) for each in document for action in each["Action"] for resource in each["Resource"]}
    assert {each for each in asked if each[1] != ANY} <= granted  # what names no cluster is this test's own


def previews(spec: Any, action: str) -> bool:
    return any(action in each.actions for each in previewer_statements(blueprint_of(spec)))


def rows(views: RedshiftViews, select: str) -> list[dict[str, Any]]:
    """Once there are any: a view refreshes itself after a statement, and not twice within half a second."""
    pause = threading.Event()
    for _ in range(100):
        if found := views.database.run(select):
            return found
        pause.wait(0.1)
    raise AssertionError(select)
