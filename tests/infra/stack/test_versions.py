from importlib.metadata import PackageNotFoundError, version

import pytest

from firnline_infra.stack.errors import PackagesTooOld
from firnline_infra.stack.versions import check_packages


def test_what_is_installed_here_will_do() -> None:
    check_packages()


def test_every_package_that_is_too_old_or_missing_is_named() -> None:
    def installed(name: str) -> str:
        if name == "pulumi":
            raise PackageNotFoundError(name)
        return "7.51.0" if name == "pulumi-aws" else version(name)

    with pytest.raises(PackagesTooOld) as caught:
        check_packages(installed)
    assert "pulumi is missing, and 3.272 is wanted" in str(caught.value)
    assert "pulumi-aws is 7.51.0, and 7.51.1 is the oldest that will do" in str(caught.value)
    assert "pulumi-snowflake" not in caught.value.what


def test_versions_are_numbers_not_texts() -> None:
    check_packages(lambda name: {"pulumi": "3.1000.0", "pulumi-aws": "10.0.0", "pulumi-snowflake": "2.22.0"}[name])
