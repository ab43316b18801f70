"""The Pulumi engine against the embedded environment: in process, or through its plugins in a home of their own."""
