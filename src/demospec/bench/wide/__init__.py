"""The wide suite: worlds, tasks and demonstrators of many kinds, and learners that do not know which."""
