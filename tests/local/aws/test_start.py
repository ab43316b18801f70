"""Tests that every start of an environment stays light: a service of AWS is loaded by its first request."""

import subprocess
import sys

STARTED = """
import sys
from firnline_local.aws.server import application
from firnline_local.faults import FaultPlan

application(FaultPlan())
print(*sorted(name for name in sys.modules if name.count(".") == 1 and name.startswith("moto.")))
"""


def test_a_server_that_nobody_has_asked_yet_has_not_loaded_ec2() -> None:
    ran = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)
    loaded = {*ran.stdout.split()}
    assert {"moto.iam", "moto.s3"} <= loaded
    assert loaded & {"moto.ec2", "moto.redshift"} == set()
