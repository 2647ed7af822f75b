"""Where worlds and runs come from: environments, models, logs."""
