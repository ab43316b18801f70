"""One description of every resource of an environment, which the renderers of Pulumi and Terraform walk.

A type of resource is one row here: a function from the blueprint's definition to what a provider is asked for. Nothing here
decides what exists: that is the blueprint's.
"""
