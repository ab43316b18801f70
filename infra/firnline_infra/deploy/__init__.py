"""What is looked at before `up`, and read back after it. Nothing here changes anything."""
