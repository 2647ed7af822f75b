"""Results as JSON documents, and as blocks that become text in a terminal or a page; pictures are SVG."""
