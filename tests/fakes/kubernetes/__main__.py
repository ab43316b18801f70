"""`python -m tests.fakes.kubernetes`: the embedded runtimes, with a cluster, as a process of an environment."""

from firnline_local.runtimes.__main__ import command
from tests.fakes.kubernetes.server import ClusterRuntimes

if __name__ == "__main__":
    command(ClusterRuntimes)()
