"""Takes over from another consumer: its checkpoints become rows of the ledger, once, and nothing of it is changed."""
