"""`python -m demospec`."""

from demospec.cli import main

if __name__ == "__main__":
    main()
