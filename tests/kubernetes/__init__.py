"""The real Kubernetes API server, of its own Go module (scripts/kubernetes-api), and what the product asks of it."""
