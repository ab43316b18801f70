from firnline_infra.blueprint import blueprint_of
from firnline_infra.render.bootstrap.snowflake import statements
from firnline_infra.specification import EnvironmentSpec
from tests.infra.specifications import changed


def test_the_authentication_policy_of_others_is_out_of_its_reach(prod_spec: EnvironmentSpec) -> None:
    blueprint = blueprint_of(prod_spec)
    assert "AUTHENTICATION POLICY" not in statements(blueprint)
    applied = {
        (grant.on.value, str(grant.name))
        for grant in blueprint.landing.grants
        if "APPLY AUTHENTICATION POLICY" in grant.privileges
    }
    assert applied == {("USER", each.name.name) for each in blueprint.landing.users}
    unasked = blueprint_of(changed(prod_spec, "snowflake.key_pair_only", False))
    assert not any("APPLY AUTHENTICATION POLICY" in grant.privileges for grant in unasked.landing.grants)


def test_a_user_of_another_team_is_refused_before_anything_is_changed(prod_spec: EnvironmentSpec) -> None:
    """Another AWS account is another team. No emulation runs blocks: what they say is read here."""
    elsewhere = changed(prod_spec, "aws.account", "210987654321")
    for spec in (prod_spec, elsewhere):
        text = statements(blueprint_of(spec))
        before, _, after = text.partition("CREATE ROLE IF NOT EXISTS")
        mark = f"Firnline prod firnline-prod, AWS account {spec.aws.account}"
        for user in ("FIRNLINE_PROD_DEPLOY", "FIRNLINE_PROD_PREVIEW"):
            assert f"""WHERE "name" = '{user}' AND COALESCE("comment", '') <> '{mark}';""" in before
            assert f'CREATE USER IF NOT EXISTS "{user}" TYPE = SERVICE' in after
        assert after.count(f"COMMENT = '{mark}'") == 2
        assert """WHERE "name" = 'LAKE' AND "owner" <> 'FIRNLINE_PROD_DEPLOY';""" in before
        assert before.count("RAISE taken") == before.count("EXECUTE IMMEDIATE $$") == before.count("END;\n$$;") == 3


def test_no_name_ends_the_block_that_it_is_in(prod_spec: EnvironmentSpec) -> None:
    spec = changed(prod_spec, "snowflake.deploy_role", '"a\'$$b"')
    text = statements(blueprint_of(spec))
    assert "SHOW USERS LIKE 'a''\\u0024\\u0024b';" in text
    assert text.count("$$") == 6 + text.partition("CREATE ROLE IF NOT EXISTS")[2].count("$$")


def test_whose_a_user_is_is_asked_by_a_pattern_that_its_name_matches(prod_spec: EnvironmentSpec) -> None:
    r"""In SHOW … LIKE a backslash escapes what follows: 'a\\\\b' finds a user a\b, and 'a\\b' finds ab."""
    spec = changed(prod_spec, "snowflake.deploy_role", '"a\\b_c"')
    text = statements(blueprint_of(spec))
    assert r"SHOW USERS LIKE 'a\\\\b\\_c';" in text
    assert r"""WHERE "name" = 'a\\b_c' AND""" in text


def test_the_message_of_an_exception_has_no_double_quote(prod_spec: EnvironmentSpec) -> None:
    """Snowflake takes none there (docs.snowflake.com, DECLARE in Snowflake Scripting); a plain name needs none."""
    for role in ("FIRNLINE_PROD_DEPLOY", '"odd ""name"" here"'):
        spec = changed(prod_spec, "snowflake.deploy_role", role)
        lines = statements(blueprint_of(spec)).splitlines()
        declared = [line for line in lines if line.startswith("DECLARE taken")]
        assert len(declared) == 3
        assert not [line for line in declared if '"' in line]
        assert ("run: ALTER USER FIRNLINE_PROD_DEPLOY SET COMMENT" in declared[0]) is (role == "FIRNLINE_PROD_DEPLOY")
