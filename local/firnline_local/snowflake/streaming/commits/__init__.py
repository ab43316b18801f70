"""From accepted rows to visible ones."""
