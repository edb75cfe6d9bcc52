"""The statuses of runs, and the reasons for them."""

import re
import signal
from dataclasses import asdict, replace
from typing import get_args

import pytest

from millistep.contracts.record import Status
from millistep.supervise import ending
from millistep.supervise.ending import Ending, of_control, of_exception, of_process
from tests.shared import ROOT

STATUSES = get_args(Status)


def raised(kind, message):
    """Return the end of a process by an exception of this type."""
    return Ending(done=False, exit_code=1, failure={"type": kind, "message": message})


def test_the_docs_have_the_statuses_of_the_code():
    text = (ROOT / "docs/report.md").read_text()
    listed = text.partition("\n## A cell without a number\n")[2].partition("\n## ")[0]
    of_tables = ["invalid record", "outdated", "not measured"]
    found = re.findall(r"^\| `([^`]+)`", listed, re.MULTILINE)
    assert found == [*(status for status in STATUSES if status != "ok"), *of_tables]


def test_every_ending_has_one_of_the_statuses():
    endings = [
        Ending(done=True, exit_code=0),
        *(Ending(done=False, exit_code=code) for code in (0, 3, -9, -11, -signal.SIGRTMIN - 1)),
        Ending(done=False, exit_code=-9, kernel_killed_for_memory=True),
        Ending(done=False, exit_code=-9, timed_out_after_s=1.5),
        Ending(done=False, exit_code=-9, memory_over_mib={"used": 2.0, "limit": 1.0}),
        *(
            raised(kind, message)
            for kind in ("MemoryError", "WrongDevice", "ModuleNotFoundError", "ValueError")
            for message in ("", "words\nand more", *ending.CANNOT_HERE)
        ),
    ]
    found = [of_process(seen) for seen in endings]
    assert {status for status, _ in found} <= set(STATUSES)
    assert [bool(reason) for _, reason in found] == [status != "ok" for status, _ in found]
    assert all("\n" not in reason for _, reason in found)


FULL = "CUDA out of memory. Tried to allocate 1.00 GiB, of which 4.00 GiB is free."
# As keras.src.utils.traceback_utils words it.
KERAS = "Exception encountered when calling Softmax.call().\n\n\x1b[1m{}\x1b[0m\n\nArguments"
SYMBOLS = f"Could not infer the output of 'softmax'. Error encountered:\n\n{FULL}"
GRAPH = "Graph execution error:"
UNLOADED = "CUDA error: Failed to load a module: out of memory"
TENSORFLOW = f"""{GRAPH}

Detected at node StatefulPartitionedCall defined at (most recent call last):
  File "train.py", line 3, in <module>

{UNLOADED}
\t [[{{{{node StatefulPartitionedCall}}}}]] [Op:__inference_train_function_4066]"""
MISSING = "No module named 'tabulate'"
OF_A_MODEL = "No module named 'millistep.measure.models.mlp.inputs'"
GRAD = "grad can be implicitly created only for scalar outputs"  # PyTorch's
REASONS = [
    (f"OutOfMemoryError: in Softmax.call(): {FULL}", "oom", KERAS.format(FULL)),
    (f"OutOfMemoryError: in Softmax.call(): {FULL}", "oom", KERAS.format(SYMBOLS)),
    (f"InternalError: {GRAPH} {UNLOADED}", "oom", TENSORFLOW),
    (f"InternalError: {GRAPH}", "error", f"{GRAPH}\n\nof another form"),
    (f"missing package, ModuleNotFoundError: {MISSING}", "error", MISSING),
    (f"ModuleNotFoundError: {OF_A_MODEL}", "error", OF_A_MODEL),
    (f"RuntimeError: {GRAD}; the loss must be one number, such as a mean", "error", GRAD),
    ("ValueError: bad    model", "error", "\x1b[31mbad\x00 \udcff model"),
]
LACKS = {
    "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`": "oom",
    "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED": "oom",
    "Unable to initialize backend 'cuda': no driver": "unsupported",
    "The NVIDIA driver on your system is too old (12040)": "unsupported",
    "INTERNAL: Failed to allocate 4194304 bytes for new constant": "oom",
    "InvalidCxxCompiler: No working C++ compiler found in cpp.cxx: (None,)": "unsupported",
    "CUDA error: an illegal memory access was encountered": "error",
}
REASONS += [(f"RuntimeError: {message}", status, message) for message, status in LACKS.items()]


@pytest.mark.parametrize(("reason", "status", "message"), REASONS)
def test_an_exception_has_its_status_and_its_own_words_in_one_line(reason, status, message):
    kind = re.search(r"(\w+): ", reason)[1]
    assert of_process(raised(kind, f"{message}\nmore")) == (status, reason)


KILLED = Ending(done=False, exit_code=-signal.SIGKILL)


def test_what_fails_since_the_kernel_killed_for_memory_lacked_memory():
    assert of_process(replace(KILLED, kernel_killed_for_memory=True))[0] == "oom"
    helpers_end = raised("BrokenProcessPool", "A child process terminated abruptly")
    ended = Ending(done=False, exit_code=1, last_words="a worker is gone")
    for one, words in ((helpers_end, "abruptly"), (ended, "a worker is gone")):
        assert of_process(one)[0] == "error"
        status, reason = of_process(replace(one, kernel_killed_for_memory=True))
        assert status == "oom" and reason.endswith(words)
        assert reason.startswith("the kernel killed a process for lack of memory: ")
    done = Ending(done=True, exit_code=0, kernel_killed_for_memory=True)
    assert of_process(done) == ("ok", "")


@pytest.mark.parametrize(
    ("end", "refused", "status", "reason"),
    [
        (None, None, "killed", ending.WHOLE_JOB_KILLED),
        (None, "not here", "error", "not here"),
        (asdict(KILLED), None, "killed", "killed from outside by SIGKILL"),
        (asdict(Ending(done=True, exit_code=0)), None, "ok", ""),
    ],
)
def test_a_control_is_worded_from_its_facts(end, refused, status, reason):
    assert of_control({"ending": end, "refused": refused}) == (status, reason)


ERRORS = [
    (OSError(28, "No space left on device", "x.json"), "No space left on device: x.json"),
    (OSError(28, "No space left on device"), "No space left on device"),
    (OSError("no number"), "no number"),
]


@pytest.mark.parametrize(("error", "reason"), ERRORS)
def test_an_error_of_the_system_is_said_in_its_own_words(error, reason):
    assert of_exception(error) == ("refused", reason)
