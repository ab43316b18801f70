from firnline_infra.pulumi_cli.resource import ImportedResource, Urn, import_document

ROOM = Urn("urn:pulumi:dev::shop::shop:index:Room::kitchen")
PROVIDER = "urn:pulumi:dev::shop::pulumi:providers:aws::default_7_51_1::b2943b67-2a74"


def child(name: str) -> Urn:
    return Urn(f"urn:pulumi:dev::shop::shop:index:Room$aws:kinesis/stream:Stream::{name}")


def test_a_urn_tells_type_and_name() -> None:
    urn = child("a::b")
    assert (urn.type, urn.name) == ("aws:kinesis/stream:Stream", "a::b")
    assert (ROOM.type, ROOM.name) == ("shop:index:Room", "kitchen")


def test_a_reference_to_a_provider_ends_with_its_id() -> None:
    assert Urn.of_provider(PROVIDER).name == "default_7_51_1"


def test_parents_and_providers_are_named_once_in_a_table_in_front() -> None:
    provider = Urn.of_provider(PROVIDER)
    resources = [
        ImportedResource(urn=child(name), import_id=f"id-of-{name}", parent=ROOM, provider=provider) for name in "ab"
    ]
    document = import_document([*resources, ImportedResource(urn=ROOM, import_id="c", version="7.51.1")])
    names = {urn: name for name, urn in document["nameTable"].items()}
    assert set(names) == {str(ROOM), str(provider)}
    assert document["resources"] == [
        {
            "type": "aws:kinesis/stream:Stream",
            "name": name,
            "id": f"id-of-{name}",
            "parent": names[str(ROOM)],
            "provider": names[str(provider)],
        }
        for name in "ab"
    ] + [{"type": "shop:index:Room", "name": "kitchen", "id": "c", "version": "7.51.1"}]
