"""Where worlds and runs come from: models of other tools, arrays, functions."""
