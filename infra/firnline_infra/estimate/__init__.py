"""Needs and costs of an environment's engine, on paper, before anything is created. Pure; no account is asked."""
