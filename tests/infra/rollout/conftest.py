from tests.infra.runtimes.services.conftest import aws, job

__all__ = ["aws", "job"]
