"""Questions to an account, because no document, and no client of it, answers them in full. One file a house."""
