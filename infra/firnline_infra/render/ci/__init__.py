"""Pipelines of CI that preview an environment before a merge, change it after one, and look for drift."""
