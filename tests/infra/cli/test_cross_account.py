from pathlib import Path

from click.testing import CliRunner

from firnline_infra.cli.main import firnline

SPEC = """
version: 1
name: dev
aws: {region: eu-central-1, account: "123456789012"}
snowflake: {account: ORG-ACCOUNT, warehouse: SMALL}
streams:
  - {name: views}
  - name: orders
    origin: adopt
    arn: arn:aws:kinesis:us-east-1:222233334444:stream/orders
    role_arn: arn:aws:iam::222233334444:role/reader
pipelines:
  - {stream: views, database: LAKE, schema: RAW}
  - {stream: orders, database: LAKE, schema: RAW}
"""


def test_the_owner_of_a_stream_gets_commands_and_no_account_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "dev.yaml"
    file.write_text(SPEC)
    result = CliRunner().invoke(firnline, ["cross-account", str(file)])
    assert result.exit_code == 0
    assert "aws iam create-role --role-name reader --assume-role-policy-document" in result.output
    assert "views" not in result.output
    file.write_text(
        SPEC.replace("    role_arn: arn:aws:iam::222233334444:role/reader\n", "").replace(
            "222233334444", "123456789012"
        )
    )
    nothing = CliRunner().invoke(firnline, ["cross-account", str(file)]).output
    assert "opened by the engine's own rights" in nothing
    assert f"firnline bootstrap {file}" in nothing
