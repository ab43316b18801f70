from tests.infra.observe.conftest import spec_file

__all__ = ["spec_file"]
