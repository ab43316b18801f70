"""Checks of what is true of every receipt, whatever happened to its shard, and what one says of its problem."""

from firnline_ingest.shard.receipt import Receipt


def adding_up(receipt: Receipt) -> Receipt:
    """The same one: every record that it counts has come to something that it counts too."""
    letters = receipt.dead_letters + receipt.reread_letters
    assert receipt.records == receipt.ingested + letters + receipt.skipped + receipt.left_out, receipt
    return receipt


def problem(receipt: Receipt) -> str | None:
    """Returns its id."""
    return receipt.problem.id if receipt.problem else None
