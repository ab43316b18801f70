"""What becomes of records that a producer packed together."""

from enum import StrEnum


class Aggregation(StrEnum):
    """Whether KPL aggregates (the Kinesis Producer Library's) are taken apart."""

    AUTO = "auto"
    """A record that is an aggregate, by its magic and its checksum, becomes its user records; any other is as it is."""
    OFF = "off"
    """No record is looked into: for payloads of your own that are aggregates by accident or by nature."""
