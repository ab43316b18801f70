"""The engine as a SparkApplication of an operator on Kubernetes: section `kubernetes` of `aws.runtime`."""
