"""An engine without Spark, as a process of its own, which kills itself at a step of its protocol: `ENGINE.JSON STEP`.

Without a step it reads to the end, and exits with 0.
"""

import os
import signal
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from firnline_ingest.config.load import load_config
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import ShardServices
from firnline_ingest.snowflake.packages import make_importable
from firnline_ingest.values import ShardKey
from tests.contract.conftest import EngineWithoutSpark


@dataclass
class KilledEngine(EngineWithoutSpark):
    step: EpochStep | None = None

    def _services(self, channels: Any, run_id: str) -> ShardServices:
        return replace(super()._services(channels, run_id), observer=self._observe)

    def _observe(self, step: EpochStep, _key: ShardKey) -> None:
        if step is self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def main(config_file: str, *steps: str) -> int:
    make_importable()
    engine = KilledEngine(load_config(Path(config_file)), *map(EpochStep, steps))
    target = engine.preflight()
    problems = engine.epoch(target)
    print(problems, file=sys.stderr)
    return 0 if problems == [None] * len(problems) else 4


if __name__ == "__main__":
    status = main(*sys.argv[1:])
    sys.stderr.flush()
    os._exit(status)  # the SDK's threads run on, and an interpreter that ends under them aborts
