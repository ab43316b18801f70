"""Reads back what Pulumi does not see: properties that statements have set, and tables that a statement made.

A change behind their back is no diff to Pulumi, and a failing query gives an empty result in silence. So each property is
compared with the blueprint here, and an empty answer is a finding.
"""

from firnline_infra.deploy.readback.finding import Finding
from firnline_infra.deploy.readback.look import read_back

__all__ = ["Finding", "read_back"]
