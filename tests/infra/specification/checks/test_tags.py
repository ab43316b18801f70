from collections.abc import Callable

import pytest

Problems = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ({"aws:owner": "me"}, "the prefix aws: belongs to AWS itself"),
        ({"AWS:owner": "me"}, "the prefix aws: belongs to AWS itself"),
        ({"firnline:owner": "me"}, "the prefix firnline: belongs to Firnline"),
        ({"k" * 129: "v"}, "a key has 1 to 128 characters, this one has 129"),
        ({"": "v"}, "a key has 1 to 128 characters, this one has 0"),
        ({"owner": "v" * 257}, "a value has up to 256 characters, this one has 257"),
        ({"owner": "me; you"}, "AWS takes letters, digits, spaces"),
        ({"Owner": "a", "owner": "b"}, "IAM does not tell it from 'Owner'"),
        ({f"tag{number}": "" for number in range(48)}, "48 are given; AWS takes 50 on an object, and 3 of them are"),
    ],
)
def test_tags_that_aws_would_refuse_are_refused(problems: Problems, tags: dict[str, str], expected: str) -> None:
    (problem,) = problems(tags=tags)
    assert expected in problem


def test_tags_that_aws_takes_are_taken(problems: Problems) -> None:
    tags = {"cost centre": "Größe: 1/2 = 0.5 + x@y_z-", "k" * 128: "v" * 256, "empty": ""}
    assert problems(tags=tags) == []
    assert problems(tags={f"tag{number}": "" for number in range(47)}) == []
