"""Renders an environment as a Terraform module in JSON, without Terraform, CDKTF or Pulumi.

It walks the same description of resources as Pulumi's components (`firnline_infra.resources`), and decides nothing.
"""

from firnline_infra.terraform.module import differing, module_files, write_module

__all__ = ["differing", "module_files", "write_module"]
