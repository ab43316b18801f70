"""Fakes for tests, ours and yours: services that behave as they are documented, in this process."""

from firnline_ingest.testing.clock import Clock, ManualClock, SystemClock
from firnline_ingest.testing.faults import Fault, FaultKind, FaultPlan
from firnline_ingest.testing.kinesis import FakeKinesis, FakeKinesisError

__all__ = ["Clock", "FakeKinesis", "FakeKinesisError", "Fault", "FaultKind", "FaultPlan", "ManualClock", "SystemClock"]
