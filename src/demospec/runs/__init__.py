"""Runs of a search: here or elsewhere, interrupted and resumed."""
