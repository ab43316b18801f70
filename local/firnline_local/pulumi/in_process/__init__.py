"""The part of the Pulumi engine that a program needs to be applied to the embedded environment without one.

`application` is the way in: it runs a program against a `monitor`, which asks a `deployment` for each resource.
"""
