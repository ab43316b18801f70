"""Renders an environment as a Terraform module in JSON, without Terraform, CDKTF or Pulumi.

It walks the same rows as Pulumi's components (`firnline_infra.kinds`), and decides nothing.
"""

from firnline_infra.terraform.module import differing, module_files, write_module
from firnline_infra.terraform.registry_layout import differing_from_layout, layout_files, write_layout

__all__ = [
    "differing",
    "differing_from_layout",
    "layout_files",
    "module_files",
    "write_layout",
    "write_module",
]
