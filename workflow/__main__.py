"""Run a command without an installation: python3 workflow check-model my-models/models/mlp."""

import sys


def main() -> None:
    if sys.version_info < (3, 9):
        version = sys.version.split()[0]
        sys.exit(f"millistep: {sys.executable} is Python {version}, but 3.9 or later is needed")
    from millistep.__main__ import main

    main()


if __name__ == "__main__":
    main()
