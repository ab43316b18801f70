"""The engine as a job of a virtual cluster of EMR on EKS."""
