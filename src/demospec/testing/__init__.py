"""Strategies and conformance checks that ship."""
