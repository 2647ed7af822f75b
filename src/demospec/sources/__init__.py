"""Where worlds and runs come from: environments, models of other tools, logs, arrays, functions."""
