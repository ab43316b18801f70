"""What goes wrong between letters and a table, where files carry them."""

from firnline_ingest.errors import DeadLetterError, Fatal


class FilesExtraMissing(DeadLetterError, Fatal):
    id = "FL-4181"

    def __init__(self, extra: str, cause: str) -> None:
        super().__init__(
            f"Files are loaded with Snowflake's package snowflake-ingest, which is not installed: {cause}",
            next_step=f"install {extra} where this command runs; no cluster needs it.",
        )
