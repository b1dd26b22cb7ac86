"""``python -m turnwire``."""

from turnwire.runner.cli import main

if __name__ == "__main__":
    main()
