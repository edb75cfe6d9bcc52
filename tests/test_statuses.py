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
            Ending(done=False, exit_code=1, failure={"type": kind, "message": message})
            for kind in ("MemoryError", "WrongDevice", "ModuleNotFoundError", "ValueError")
            for message in ("", "words\nand more", *ending.CANNOT_HERE)
        ),
    ]
    found = [of_process(seen) for seen in endings]
    assert {status for status, _ in found} <= set(STATUSES)
    assert [bool(reason) for _, reason in found] == [status != "ok" for status, _ in found]
    assert all("\n" not in reason for _, reason in found)


def test_what_keras_wraps_in_its_own_words_is_said():
    """The text is as keras.src.utils.traceback_utils words it."""
    own = "CUDA out of memory. Tried to allocate 1.00 GiB, of which 4.00 GiB is free."
    words = "Exception encountered when calling Softmax.call()."
    words += f"\n\n\x1b[1m{own}\x1b[0m\n\nArguments"
    failure = {"type": "OutOfMemoryError", "message": words}
    found = of_process(Ending(done=False, exit_code=1, failure=failure))
    assert found == ("oom", f"OutOfMemoryError: in Softmax.call(): {own}")
    symbols = f"Could not infer the output of 'softmax'. Error encountered:\n\n{own}"
    failure["message"] = words.replace(own, symbols)
    assert of_process(Ending(done=False, exit_code=1, failure=failure)) == found


def test_a_message_of_any_characters_is_one_line_of_text():
    failure = {"type": "ValueError", "message": "\x1b[31mbad\x00 \udcff model\nand more"}
    _, reason = of_process(Ending(done=False, exit_code=1, failure=failure))
    assert reason == "ValueError: bad    model"


MODULES = [("tabulate", "missing package, ")]
MODULES += [("millistep.measure.models.mlp.inputs", "ModuleNotFoundError: ")]


def test_an_error_of_a_library_without_a_remedy_gets_one():
    """The text is PyTorch's."""
    message = "grad can be implicitly created only for scalar outputs"
    failure = {"type": "RuntimeError", "message": f"{message}\nand more"}
    _, reason = of_process(Ending(done=False, exit_code=1, failure=failure))
    assert reason == f"RuntimeError: {message}; the loss must be one number, such as a mean"


@pytest.mark.parametrize(("module", "begins"), MODULES)
def test_a_models_own_module_is_no_missing_package(module, begins):
    failure = {"type": "ModuleNotFoundError", "message": f"No module named '{module}'"}
    _, reason = of_process(Ending(done=False, exit_code=1, failure=failure))
    assert reason.startswith(begins) and module in reason


def test_what_tensorflow_says_behind_the_place_of_a_graph_is_said():
    words = """Graph execution error:

Detected at node StatefulPartitionedCall defined at (most recent call last):
  File "train.py", line 3, in <module>

CUDA error: Failed to load a module: out of memory
\t [[{{node StatefulPartitionedCall}}]] [Op:__inference_train_function_4066]"""
    failure = {"type": "InternalError", "message": words}
    _, reason = of_process(Ending(done=False, exit_code=1, failure=failure))
    own = "CUDA error: Failed to load a module: out of memory"
    assert reason == f"InternalError: Graph execution error: {own}"
    failure["message"] = "Graph execution error:\n\nof another form"
    _, reason = of_process(Ending(done=False, exit_code=1, failure=failure))
    assert reason == "InternalError: Graph execution error:"


KILLED = Ending(done=False, exit_code=-signal.SIGKILL)


def test_a_kernel_that_killed_for_memory_is_told_from_a_kill_from_outside():
    assert of_process(replace(KILLED, kernel_killed_for_memory=True))[0] == "oom"
    assert of_process(KILLED)[0] == "killed"


def test_what_fails_since_the_kernel_killed_a_helper_for_memory_lacked_memory():
    failure = {"type": "BrokenProcessPool", "message": "A child process terminated abruptly"}
    raised = Ending(done=False, exit_code=1, failure=failure)
    ended = Ending(done=False, exit_code=1, last_words="a worker is gone")
    assert {of_process(raised)[0], of_process(ended)[0]} == {"error"}
    for one, words in ((raised, "abruptly"), (ended, "a worker is gone")):
        status, reason = of_process(replace(one, kernel_killed_for_memory=True))
        assert status == "oom" and reason.endswith(words)
        assert reason.startswith("the kernel killed a process for lack of memory: ")
    done = Ending(done=True, exit_code=0, kernel_killed_for_memory=True)
    assert of_process(done) == ("ok", "")


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "oom"),
        ("cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED", "oom"),
        ("Unable to initialize backend 'cuda': no driver", "unsupported"),
        ("The NVIDIA driver on your system is too old (12040)", "unsupported"),
        ("INTERNAL: Failed to allocate 4194304 bytes for new constant", "oom"),
        ("InvalidCxxCompiler: No working C++ compiler found in cpp.cxx: (None,)", "unsupported"),
        ("CUDA error: an illegal memory access was encountered", "error"),
    ],
)
def test_a_lack_of_memory_or_of_a_device_is_told_from_an_error(message, status):
    failure = {"type": "RuntimeError", "message": f"{message}\nmore"}
    found = of_process(Ending(done=False, exit_code=1, failure=failure))
    assert found == (status, f"RuntimeError: {message}")


@pytest.mark.parametrize(
    ("facts", "status", "reason"),
    [
        ({"ending": None, "refused": None}, "killed", ending.WHOLE_JOB_KILLED),
        ({"ending": None, "refused": "not here"}, "error", "not here"),
        ({"ending": asdict(KILLED), "refused": None}, "killed", "killed from outside by SIGKILL"),
        ({"ending": asdict(Ending(done=True, exit_code=0)), "refused": None}, "ok", ""),
    ],
)
def test_a_control_is_worded_from_its_facts(facts, status, reason):
    assert of_control(facts) == (status, reason)


ERRORS = [
    (OSError(28, "No space left on device", "x.json"), "No space left on device: x.json"),
    (OSError(28, "No space left on device"), "No space left on device"),
    (OSError("no number"), "no number"),
]


@pytest.mark.parametrize(("error", "reason"), ERRORS)
def test_an_error_of_the_system_is_said_in_its_own_words(error, reason):
    assert of_exception(error) == ("refused", reason)
