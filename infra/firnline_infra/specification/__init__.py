"""The specification of an environment: model, loader, checks."""

from firnline_infra.specification.load import load_spec, parse_spec
from firnline_infra.specification.model import EnvironmentSpec

__all__ = ["EnvironmentSpec", "load_spec", "parse_spec"]
