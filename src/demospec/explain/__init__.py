"""How well a task explains what was shown, and why."""
