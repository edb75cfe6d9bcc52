"""A process ends with its parent, even if the parent died before the kernel was asked for that."""

import pytest

from ..shared import python

# The parent starts a child, which begins when the parent is gone.
PARENT = """
import os, subprocess, sys
subprocess.Popen([sys.executable, "-c", sys.argv[1], str(os.getpid())])
"""
CHILD = """
import os, sys, time
parent = int(sys.argv[1])
while os.getppid() == parent:
    time.sleep(0.01)
{}
print("goes on")
"""
IGNORED = """
import os, signal, subprocess
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from millistep.supervise import console
console.end_by_interrupt()
child = subprocess.Popen(["false"])
print(os.waitstatus_to_exitcode(os.wait4(child.pid, 0)[1]))
"""
MEASURING = "from millistep.measure.process import die_with_parent; die_with_parent(parent=parent)"
SUPERVISOR = """
from millistep.supervise import console
os.getppid, now = lambda: parent, os.getppid  # the parent dies after this first look
console.end_by_interrupt = lambda: setattr(os, "getppid", now)
console.end_with_snakemake()
"""


@pytest.mark.parametrize("begin", [MEASURING, SUPERVISOR], ids=["measuring", "supervisor"])
def test_a_process_whose_parent_is_gone_already_does_not_begin(begin):
    assert python("-c", PARENT, CHILD.format(begin), timeout=60) == ""


def test_a_child_is_waited_for_though_the_caller_of_its_parent_ignores_children():
    assert python("-c", IGNORED, timeout=60) == "1\n"
