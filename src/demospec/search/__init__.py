"""Ways to search for tasks."""
