from tests.infra.pulumi.conftest import deploy, spec_of

__all__ = ["deploy", "spec_of"]
