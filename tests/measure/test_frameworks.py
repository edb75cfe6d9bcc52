"""Parts of the frameworks' classes: inputs, loops, the original timing method, device memory."""

import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from millistep.measure.conformance import WrongModel, check_batch
from millistep.measure.device import SHARE
from millistep.measure.frameworks import (
    Cell,
    Framework,
    WrongFramework,
    keras3_jax,
    keras3_tensorflow,
    loops,
    pytorch_eager,
    tensorflow,
)
from millistep.measure.frameworks.keras import KerasFramework
from millistep.measure.frameworks.loops import Ticks
from millistep.measure.models import plain
from millistep.measure.timer import Finished

from .conftest import Bare


def test_a_card_lists_the_bytes_of_a_batch():
    batch = ({"ids": np.zeros((4, 8), np.int32)}, np.zeros(4, np.float32))
    found = loops.feeding("NumPy arrays", batch)
    assert found == {"feeding": "NumPy arrays", "fed_bytes_per_step": 4 * 8 * 4 + 4 * 4}


def test_native_pytorch_copies_from_pinned_memory_to_a_gpu_at_each_step():
    copies = []

    def tensor(array, in_pinned=False):
        return SimpleNamespace(
            nbytes=array.nbytes,
            pin_memory=lambda: tensor(array, True),
            is_pinned=lambda: in_pinned,
            _version=0,
            requires_grad=False,
            to=lambda device, non_blocking: copies.append((device, in_pinned, non_blocking)),
        )

    one = Cell("m", "predict", 4, "f", "f", "cuda", "default", {}, "random", seed=1, threads=1)
    framework = pytorch_eager.Framework(one)
    framework.torch = SimpleNamespace(from_numpy=tensor, inference_mode=lambda: lambda f: f)
    framework.models = SimpleNamespace(batch=lambda cell, size: {"x": np.ones((size, 2))})
    framework.device, framework.step_model = "cuda", lambda **inputs: None
    framework.run_at(4, Ticks(3))
    assert copies == [("cuda", True, True)] * 3
    words = "tensors in pinned memory, copied in the step"
    assert framework.fed == {"feeding": words, "fed_bytes_per_step": 4 * 2 * 8}


def test_arrays_are_found_in_outputs_that_also_hold_other_things():
    cache = SimpleNamespace(keys=np.zeros(2), is_compileable=False, kind=SimpleNamespace, length=3)
    found = loops.leaves({"out": np.ones((2, 3)), "cache": cache})
    assert [array.shape for array in found] == [(2, 3), (2,)]


def test_a_number_that_json_lacks_is_kept_as_text():
    assert plain({"final_loss": float("nan"), "steps": 3}, "x") == {"final_loss": "nan", "steps": 3}


def test_samples_may_be_on_any_axis():
    for make in (
        lambda size: {"time_first": np.zeros((12, size, 8))},
        lambda size: {"nodes": np.zeros((30 * size, 8)), "edges": np.zeros((2, 90 * size))},
    ):
        check_batch(make(4), make, 4)


def test_a_batch_that_ignores_its_size_is_refused():
    images = {"image": np.zeros((32, 8, 8, 1))}  # with one channel, and a batch size of one
    with pytest.raises(WrongModel, match=r"sizes 1 and 2 \(\(32, 8, 8, 1\)\)"):
        check_batch(images, lambda size: images, 1)


STEP_S = 0.01


@pytest.fixture
def clock(monkeypatch):
    """A clock that goes on by a step's time for each step."""
    now = SimpleNamespace(s=0.0)
    monkeypatch.setattr(pytorch_eager.time, "perf_counter", lambda: now.s)
    return now


class Steps(pytorch_eager.Framework):
    """Writes down what is made, and when it is waited for."""

    def __init__(self, clock, task, trainer):
        self.cell = SimpleNamespace(task=task, batch_size=1)
        self.models = SimpleNamespace(BY_TRAINER=True) if trainer else SimpleNamespace()
        self.clock, self.made = clock, []

    def _made(self, what):
        self.clock.s += STEP_S
        self.made.append(what)

    def _host_batch(self, batch_size):
        return {}

    def _fit_step(self, batch, looks=False):
        self._made("looked" if looks else "step")

    def _predict_step(self):
        return lambda batch: self._made("step")

    def fence(self):
        self.made.append("fence")


STEP, FENCE = ["step"], ["fence"]
COUNTED = "99 steps counted as 100"


@pytest.mark.parametrize(
    ("task", "trainer", "share", "steps", "made", "words"),
    [
        ("fit", True, 0.99, 4, 6 * ["looked"], {COUNTED}),  # it looks at each loss
        ("fit", False, 1, 4, 6 * STEP, {loops.NO_FENCE}),  # both drop two; this waits for nothing
        # many steps less one; the trainer's ends on the host
        ("predict", True, 1, 5, STEP + FENCE + 6 * STEP + FENCE, {loops.ON_THE_HOST}),
        ("predict", False, 1, 5, 7 * STEP, {loops.NO_FENCE}),
    ],
)
def test_by_hand(clock, task, trainer, share, steps, made, words):
    framework = Steps(clock, task, trainer)
    step_ms, counted, said = framework.legacy(5, cap_s=10.0)
    assert (step_ms, counted) == (pytest.approx(share * 1000 * STEP_S), steps)
    assert framework.made == made
    assert {each for each in (COUNTED, loops.NO_FENCE, loops.ON_THE_HOST) if each in said} == words
    assert COUNTED in words or said.endswith(*words)


def test_fewer_steps_are_made_where_time_is_short(clock):
    assert Steps(clock, "fit", trainer=False).legacy(100, cap_s=2.5 * STEP_S)[1] == 3


class Column(KerasFramework):
    """Counts how often its model was brought back to a usable state."""

    models = SimpleNamespace()
    keras = SimpleNamespace(callbacks=SimpleNamespace(Callback=SimpleNamespace))
    model = SimpleNamespace(steps_per_execution=1)
    settled = 0
    load = live_accelerator = precision = fence = compilations = None  # none is called

    def dataset(self, batch_size):
        return []

    def results_for(self, callback):
        return "left"

    def settle(self):
        self.settled += 1

    def _call(self, data, callback):
        raise self.trouble


@pytest.mark.parametrize("trouble", [Finished, MemoryError])
def test_a_model_is_usable_again_however_its_loop_was_left(trouble):
    column = Column(SimpleNamespace(task="predict", batch_size=4))
    column.trouble = trouble
    with pytest.raises(MemoryError) if trouble is MemoryError else nullcontext():
        column.run_at(8, Ticks(0))
    assert column.settled == 1


def test_a_framework_without_a_loop_is_named():
    own = Bare(SimpleNamespace(framework="own", batch_size=4))
    with pytest.raises(WrongFramework, match=r"^own has neither run\(timer\) nor run_at\("):
        Framework.run(own, Ticks(0))


class Feeds(Column):
    """Is left in the middle of a loop, in whose frame its data is."""

    def _call(self, data, callback):
        batches = Column(self.cell)
        self.batches = weakref.ref(batches)
        raise Finished


@pytest.mark.parametrize("slowly", [True, False])
def test_the_frames_of_a_loop_that_was_left_live_on_only_where_to_end_them_takes_long(slowly):
    column = Feeds(SimpleNamespace(task="predict", batch_size=4))
    column.ends_slowly = slowly
    column.run_at(8, Ticks(0))
    assert (column.batches() is not None) == slowly


@pytest.mark.parametrize("off", [True, False])
def test_a_switch_of_the_library_makes_a_step_eager(off):
    cell = SimpleNamespace(task="fit", batch_size=4)
    jax, tensorflow = keras3_jax.Framework(cell), keras3_tensorflow.Framework(cell)
    jax.jax = SimpleNamespace(config=SimpleNamespace(jax_disable_jit=off))
    tensorflow.tf = SimpleNamespace(config=SimpleNamespace(functions_run_eagerly=lambda: off))
    for framework in jax, tensorflow:
        framework.model = SimpleNamespace(jit_compile=True, run_eagerly=False)
        assert framework.compiled() is not off
    jax.model.run_eagerly = tensorflow.model.run_eagerly = True
    assert not jax.compiled() and not tensorflow.compiled()


def test_an_eager_step_of_tensorflow_is_no_compilation():
    framework = keras3_tensorflow.Framework(SimpleNamespace(task="fit", batch_size=4))
    framework.tf = SimpleNamespace(executing_eagerly=lambda: True)
    framework.model = SimpleNamespace(train_step=lambda batch: batch)
    framework.models = SimpleNamespace()
    framework.count_traces()
    assert [framework.model.train_step(n) for n in range(3)] == [0, 1, 2]
    assert framework.compilations() == 0


@pytest.mark.parametrize(("loops", "known"), [({}, "none"), ({"fit": print}, None)])
def test_the_optimizer_of_a_custom_loop_may_be_unknown(loops, known):
    column = Column(SimpleNamespace(task="fit", batch_size=4))
    column.models = SimpleNamespace(LOOPS=loops)
    column.optimizers = list
    assert column.optimizer_name() == known


GIB = 1024.0  # MiB


def fake_tensorflow(gpus):
    """The parts of tf.config that decide how much of a GPU is taken, and that count it."""
    limits, peak = {}, {"peak": 3 * 2**20}
    return SimpleNamespace(
        config=SimpleNamespace(
            list_physical_devices=lambda kind: gpus,
            LogicalDeviceConfiguration=SimpleNamespace,
            set_logical_device_configuration=limits.__setitem__,
            get_logical_device_configuration=limits.get,
            experimental=SimpleNamespace(
                reset_memory_stats=lambda device: peak.update(peak=2**20),
                get_memory_info=lambda device: peak,
            ),
        )
    )


def fake_torch():
    cuda = SimpleNamespace(fraction=1.0, peak=3 * 2**20, segments=[], is_available=lambda: True)
    cuda.set_per_process_memory_fraction = lambda share: setattr(cuda, "fraction", share)
    cuda.get_per_process_memory_fraction = lambda: cuda.fraction
    cuda.mem_get_info = lambda: (2**30, 80 * 2**30)
    cuda.reset_peak_memory_stats = lambda: setattr(cuda, "peak", 2**20)
    cuda.max_memory_allocated = lambda: cuda.peak
    cuda.memory_snapshot = lambda: cuda.segments
    return SimpleNamespace(cuda=cuda)


def columns(accelerator):
    """Columns of TensorFlow and PyTorch over made-up modules."""
    cell = SimpleNamespace(accelerator=accelerator)
    tf, torch = keras3_tensorflow.Framework(cell), pytorch_eager.Framework(cell)
    tf.tf = fake_tensorflow(["GPU:0"] if accelerator == "cuda" else [])
    torch.torch = fake_torch()
    return tf, torch


def test_every_framework_may_take_the_same_share_and_says_so(monkeypatch):
    monkeypatch.setattr(tensorflow, "total_mib", lambda: 80 * GIB)
    for column in columns("cuda"):
        column.limit_memory()
        assert column.device_limit_mib() == pytest.approx(SHARE * 80 * GIB)


def test_peaks_are_counted_anew_where_the_framework_can():
    for column in columns("cuda"):
        assert column.peak_device_mib() == 3.0
        column.restart_peak_device()
        assert column.peak_device_mib() == 1.0
        assert "from the end of the warm-up" in column.peak_device_counts


def test_what_graphs_compute_in_is_memory_of_a_step_and_what_a_fence_has_left_is_late():
    _, column = columns("cuda")
    sizes = {"total_size": 20 * 2**20, "allocated_size": 4 * 2**20}
    pools = [(0, 0), (0, 1)]  # the allocator's own pool, and one of graphs
    column.torch.cuda.segments = [{"segment_pool_id": pool, **sizes} for pool in pools]
    assert column.peak_device_mib() == 3.0 + 16.0
    left = [True]
    stream = SimpleNamespace(query=lambda: not left, synchronize=left.clear)
    column.torch.cuda.current_stream = lambda: stream
    assert column.late_ns() > 0
    assert column.late_ns() == 0
    assert columns("cpu")[1].late_ns() == 0


@pytest.mark.parametrize(("accelerator", "waits"), [("cuda", 1), ("cpu", 0)])
def test_tensorflow_is_waited_for_on_a_device_alone(accelerator, waits):
    waited = []
    column, _ = columns(accelerator)
    experimental = SimpleNamespace(sync_devices=lambda: waited.append(None))
    column.tf.test = SimpleNamespace(experimental=experimental)
    column.fence()
    assert len(waited) == waits


def test_without_a_gpu_nothing_is_limited_or_counted():
    for column in columns("cpu"):
        column.limit_memory()
        column.restart_peak_device()
        assert (column.device_limit_mib(), column.peak_device_mib()) == (None, None)
