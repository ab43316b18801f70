from firnline_local.providers.aws.values import as_list, as_outputs, tag_difference, tags_of


def test_tags_of_the_provider_are_set_with_the_resources_own() -> None:
    assert tags_of({"tags": {"a": "1"}}) == {"a": "1"}
    assert tags_of({"tags": {"a": "1"}, "tagsAll": {"a": "1", "team": "data"}}) == {"a": "1", "team": "data"}
    assert tags_of({}) == {}


def test_tags_of_the_provider_are_not_shown_as_the_resources_own() -> None:
    known = {"tags": {"a": "1"}, "tagsAll": {"a": "1", "team": "data"}}
    found = as_list({"a": "1", "team": "data", "foreign": "x"})
    assert as_outputs(found, known) == {
        "tags": {"a": "1", "foreign": "x"},
        "tagsAll": {"a": "1", "foreign": "x", "team": "data"},
    }
    assert as_outputs({"team": "other", "a": "1"}, known)["tags"] == {"a": "1", "team": "other"}


def test_only_what_differs_is_set_or_removed() -> None:
    old, new = {"tags": {"a": "1", "b": "2", "c": "3"}}, {"tags": {"a": "1", "b": "4", "d": "5"}}
    assert tag_difference(old, new) == ({"b": "4", "d": "5"}, ["c"])
