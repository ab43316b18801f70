"""A Kubernetes cluster as a roll-out sees it: the API of SparkApplications, pods and their logs, and two operators that run
what they are given, with the weaknesses that the real ones have. Rights (RBAC), Pod Security "restricted" and the operators'
schemas are enforced.
"""
