"""Benchmarks that ship: how often, how well and how soon planted tasks are found again."""
