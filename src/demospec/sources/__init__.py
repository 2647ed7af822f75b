"""Where worlds and runs come from: models of other tools, logs, arrays, functions."""
