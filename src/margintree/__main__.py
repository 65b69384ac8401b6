"""``python -m margintree`` is the command ``margintree``."""

from margintree.cli import main

if __name__ == "__main__":
    main()
