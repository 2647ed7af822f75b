"""A fuzzer that ships: valid inputs of every format, spoiled, and given to every command."""
