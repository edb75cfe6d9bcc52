"""``python3 workflow/deploy``: see :mod:`deploy.environments`."""

import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from deploy.environments import main  # noqa: E402 (the path above finds it)

try:
    main()
except KeyboardInterrupt:
    sys.exit(130)
