"""Learn the task behind a demonstration."""
