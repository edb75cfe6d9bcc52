"""The environment of the tests themselves."""

import os
import sys

from tests.shared import ROOT, succeed


def test_no_test_sees_variables_that_frameworks_read():
    program = "import os, tests.conftest; print('OPENBLAS_CORETYPE' in os.environ)"
    path = os.pathsep.join([str(ROOT), str(ROOT / "workflow"), str(ROOT / "envs")])
    environ = {**os.environ, "OPENBLAS_CORETYPE": "Haswell", "PYTHONPATH": path}
    assert succeed([sys.executable, "-c", program], env=environ).strip() == "False"
