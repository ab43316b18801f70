"""What exists, who owns it, how it differs: what checks ask of accounts, and further forms of their report.

Checks, findings and reports are the engine's (`firnline_ingest.checks`), whose `validate` is a suite of them, as `preview`,
`doctor` and `drift` are. Nothing here writes to an account.
"""
