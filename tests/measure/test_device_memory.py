"""One share of a device for all, and work that is left."""

from types import SimpleNamespace

import pytest

from millistep.measure.device import SHARE
from millistep.measure.frameworks import keras3_tensorflow, pytorch_eager, tensorflow

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
