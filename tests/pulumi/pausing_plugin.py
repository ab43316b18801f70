"""The embedded environment's provider plugin, with a pause: `python -m tests.pulumi.pausing_plugin aws`.

A Pulumi home that is written for `PAUSING` runs it in place of `firnline_local.pulumi.engine`.
"""

from firnline_local.exit_with_parent import exit_when_parent_is_gone

if __name__ == "__main__":
    exit_when_parent_is_gone()  # before the heavy imports, during which the engine may end

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firnline_local.providers.kind import CreatedResource
from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.engine.server import main
from firnline_local.pulumi.home import ProviderModule
from firnline_local.running import RunningEnvironment
from tests.pulumi.pause import Pause

PAUSING = ProviderModule("tests.pulumi.pausing_plugin", folder=Path(__file__).parents[2])


class PausingCloud(Cloud):
    """Stops before or after the effect of a call, where its pause says so."""

    def __init__(self, package: str, environment: RunningEnvironment, pause: Pause) -> None:
        super().__init__(package, environment)
        self._pause = pause

    def create(self, token: str, name: str, inputs: Mapping[str, Any]) -> CreatedResource:
        self._pause.at("before", "create", token, name)
        made = super().create(token, name, inputs)
        self._pause.at("after", "create", token, name)
        return made

    def update(
        self, token: str, name: str, id_: str, *, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> dict[str, Any]:
        self._pause.at("before", "update", token, name)
        properties = super().update(token, name, id_, old=old, new=new)
        self._pause.at("after", "update", token, name)
        return properties

    def delete(self, token: str, name: str, id_: str, properties: Mapping[str, Any]) -> None:
        self._pause.at("before", "delete", token, name)
        super().delete(token, name, id_, properties)
        self._pause.at("after", "delete", token, name)


def pausing_cloud(package: str, environment: RunningEnvironment) -> PausingCloud:
    return PausingCloud(package, environment, Pause.from_variables(os.environ))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], cloud_of=pausing_cloud))
