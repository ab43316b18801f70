"""The REST API: paths, calls, answers, and the control routes beside it."""
