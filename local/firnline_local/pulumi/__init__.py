"""The Pulumi engine against the embedded environment: its providers, its language host, its home."""
