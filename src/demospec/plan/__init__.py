"""Task × world → maximum-entropy policy."""
