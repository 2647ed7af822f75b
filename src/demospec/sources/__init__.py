"""Where worlds and runs come from: environments, models of other tools, arrays, functions."""
