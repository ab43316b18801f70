import json

from bench.payload import SIZE_BYTES, payloads


def test_payloads_are_different_objects_of_about_a_kilobyte() -> None:
    texts = payloads(200)
    assert len(set(texts)) == 200
    assert all(0.85 * SIZE_BYTES < len(text) <= SIZE_BYTES for text in texts)
    assert all(isinstance(json.loads(text)["customer"], dict) for text in texts)


def test_half_of_them_have_letters_beyond_ascii() -> None:
    assert sum(text.isascii() for text in payloads(200)) == 100


def test_every_run_gets_the_same_ones() -> None:
    assert payloads(20) == payloads(20)
