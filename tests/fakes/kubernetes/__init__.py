"""A Kubernetes cluster beside its API server, as a roll-out sees it: two Spark operators with the weaknesses that the
real ones have, and a kubelet. Objects, rights, and the admission of pods are the real API server's (tests/kubernetes).
"""
