"""The specification of an environment: model, loader, checks."""

from firnline_infra.spec.load import load_spec, parse_spec
from firnline_infra.spec.model import EnvironmentSpec

__all__ = ["EnvironmentSpec", "load_spec", "parse_spec"]
