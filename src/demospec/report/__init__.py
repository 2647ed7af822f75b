"""One plain result → text, JSON, SVG, HTML."""
