"""Providers of the real Terraform and OpenTofu over the embedded environment: `providing` starts them.

They speak protocol 6 over loopback, and are found by TF_REATTACH_PROVIDERS, so that `init` neither downloads nor locks any.
What they make, read, change and remove is what the Pulumi providers here do (`firnline_local.pulumi.cloud`): one table of kinds.
"""
