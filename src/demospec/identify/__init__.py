"""From labelled examples to the smallest consistent tasks, by size."""
