"""``python3 workflow/deploy``: see :mod:`deploy.environments`."""

import sys
from pathlib import Path

if sys.version_info < (3, 9):
    version = sys.version.split()[0]
    sys.exit(f"millistep: {sys.executable} is Python {version}, but 3.9 or later is needed")

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from deploy.environments import main  # noqa: E402 (the path above finds it)

try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
