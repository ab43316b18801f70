"""What spark-submit's parameters come to, as far as whoever runs it has to know beforehand."""

import re
from collections.abc import Mapping, Sequence

OPTIONS = {
    "--archives": "spark.archives",
    "--driver-cores": "spark.driver.cores",
    "--driver-memory": "spark.driver.memory",
    "--executor-cores": "spark.executor.cores",
    "--executor-memory": "spark.executor.memory",
    "--num-executors": "spark.executor.instances",
}
"""spark-submit's own names (spark-submit --help)."""
MIB = {"k": 1 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}
LEAST_OVERHEAD_MIB = 384


def effective(conf: Mapping[str, str], parameters: Sequence[str]) -> dict[str, str]:
    """Settings with those of the parameters on top, which may be written as `--name value` or `--name=value`."""
    found, rest = dict(conf), iter(parameters)
    for each in rest:
        name, has_value, value = each.partition("=")
        if name in OPTIONS or name in ("--conf", "-c"):
            value = value if has_value else next(rest, "")
            if name in OPTIONS:
                found[OPTIONS[name]] = value
            else:
                setting, _, value = value.partition("=")
                found[setting] = value
    return found


def mebibytes(text: str) -> int:
    """Of a size as Spark writes it for a JVM's memory: 14G, 2048m; MiB where no unit is said."""
    match = re.fullmatch(r"(\d+)\s*([kmgt]?)b?", text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is no size")
    return int(int(match[1]) * MIB[match[2] or "m"])


def worker(settings: Mapping[str, str]) -> tuple[int, int]:
    """Cores and MiB of one executor's worker, with its overhead."""
    cores = int(settings.get("spark.executor.cores", "1"))
    memory = mebibytes(settings.get("spark.executor.memory", "1g"))
    overhead = settings.get("spark.executor.memoryOverhead")
    factor = float(settings.get("spark.executor.memoryOverheadFactor", "0.1"))
    more = mebibytes(overhead) if overhead else max(LEAST_OVERHEAD_MIB, int(memory * factor))
    return cores, memory + more


def with_prefix(settings: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in settings.items() if name.startswith(prefix)}
