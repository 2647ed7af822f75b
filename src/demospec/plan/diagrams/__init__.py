"""Planning on decision diagrams, for worlds whose states cannot be listed."""
