"""What is asked of an account because no document, and no client of it, says it in full. One file a house."""
