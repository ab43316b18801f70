"""The engine's configuration: its models by what they are about, and the loader. Who needs one section loads no more."""
