"""Logs: files in which somebody wrote down what was done, row by row."""
