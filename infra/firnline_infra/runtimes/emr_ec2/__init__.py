"""The engine as a step of an EMR cluster on EC2."""
