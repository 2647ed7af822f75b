"""Where worlds and runs come from."""
