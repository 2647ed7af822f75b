"""`python -m demospec`."""

from demospec.cli import main

main()
