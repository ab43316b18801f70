"""External volumes."""

import json

from firnline_local.providers.snowflake.volumes import EXTERNAL_VOLUME


def location(name: str, **more: str) -> dict[str, str]:
    return {
        "storageLocationName": name,
        "storageProvider": "S3",
        "storageBaseUrl": f"s3://bucket/{name}/",
        "storageAwsRoleArn": "arn:aws:iam::123456789012:role/lake",
        **more,
    }


FIRST = location("one", storageAwsExternalId="ours")
SECOND = location("two", storageAwsExternalId="ours", encryptionType="AWS_SSE_KMS", encryptionKmsKeyId="key")


def test_a_volume_lives_and_repairs(live, clients) -> None:
    with live(EXTERNAL_VOLUME, {"name": "M_VOL", "storageLocations": [FIRST, SECOND], "comment": "c"}) as volume:
        assert EXTERNAL_VOLUME.read("M_VOL", {}, clients) == volume.read()
        volume.drifts("ALTER EXTERNAL VOLUME M_VOL SET COMMENT = 'x'", comment="x")
        volume.drifts("ALTER EXTERNAL VOLUME M_VOL SET ALLOW_WRITES = FALSE", allowWrites="false")


def test_locations_change_one_by_one_and_the_first_with_a_stand_in(live, clients) -> None:
    def names() -> list[str]:
        rows = clients.rows("DESCRIBE EXTERNAL VOLUME M_VOL")
        return [json.loads(row["property_value"])["NAME"] for row in rows if row["property"].startswith("STORAGE_LOC")]

    inputs = {"name": "M_VOL", "storageLocations": [FIRST, SECOND]}
    with live(EXTERNAL_VOLUME, inputs):
        moved = {**FIRST, "storageBaseUrl": "s3://bucket/elsewhere/"}
        for changed in ([FIRST], [moved], [SECOND, FIRST], [FIRST, SECOND]):
            EXTERNAL_VOLUME.update("M_VOL", inputs, {**inputs, "storageLocations": changed}, clients)
            found = EXTERNAL_VOLUME.read("M_VOL", {**inputs, "storageLocations": changed}, clients)
            assert found["storageLocations"] == changed
            assert names() == [each["storageLocationName"] for each in changed]
            inputs = {**inputs, "storageLocations": changed}


def test_who_comes_is_told_and_an_external_id_is_made_up_where_none_is_given(live) -> None:
    with live(EXTERNAL_VOLUME, {"name": "M_VOL", "storageLocations": [location("one")]}) as volume:
        (described,) = volume.read()["describeOutputs"]
        (found,) = described["storageLocations"][0]["s3StorageLocations"]
        assert found["storageAwsIamUserArn"].startswith("arn:aws:iam::")
        assert found["storageAwsExternalId"]
        assert "storageAwsExternalId" not in volume.read()["storageLocations"][0]
