"""The studio: a page in the browser on which worlds are drawn, runs are shown, and the task appears."""
