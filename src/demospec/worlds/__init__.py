"""Something real in, an MDP out."""
