"""The services that engines run on, one file each: a client that implements runtime.Runtime, and how its place is found."""

from firnline_infra.rollout.services.choose import place_of, runtime_of

__all__ = ["place_of", "runtime_of"]
