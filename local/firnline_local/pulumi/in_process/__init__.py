"""The part of the Pulumi engine that a program needs to be applied to the embedded environment without one."""
