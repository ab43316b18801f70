"""The Pulumi command line as the project runs it: finds it, tells it where its state is, runs one command at a time.

It knows no provider: what makes an engine somebody's is a set of environment variables, which the caller brings.
"""

from firnline_infra.pulumi_cli.binary import find_cli
from firnline_infra.pulumi_cli.cli import PulumiCli
from firnline_infra.pulumi_cli.resource import ImportedResource
from firnline_infra.pulumi_cli.run import engine_variables

__all__ = ["ImportedResource", "PulumiCli", "engine_variables", "find_cli"]
