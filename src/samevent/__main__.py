"""`python -m samevent` is the command line."""

from samevent.cli.main import main

if __name__ == "__main__":
    main()
