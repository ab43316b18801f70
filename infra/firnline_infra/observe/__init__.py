"""Observation of accounts: what exists, who owns it, how it differs; and further forms of a report.

Checks, findings and reports are the engine's (`firnline_ingest.checks`), whose `validate` is a suite of them, as `preview`,
`doctor` and `drift` are. Nothing here writes to an account.
"""
