"""Shared by the TensorFlow columns, Keras 2 and Keras 3: threads, synchronization, counters."""

import contextlib
from collections.abc import Iterable, Iterator
from operator import sub
from pathlib import Path
from typing import Any

from millistep.measure import device
from millistep.measure.device import SHARE, total_mib
from millistep.measure.frameworks import products
from millistep.measure.frameworks.keras import ENDLESS, STEPS, KerasFramework
from millistep.measure.frameworks.loops import mapped
from millistep.measure.frameworks.products import flushed
from millistep.measure.frameworks.xplane import FACTS, Event, Traced


class TensorFlowFramework(Traced, KerasFramework):
    tf: Any  # the module
    fed_as = "tf.data tensors"
    takes_texts = True
    ends_slowly = True  # up to 2.5 s
    _traced: Any = None  # the graph of the step that was traced last
    _earlier = (0, 0)  # functions that were called before build()

    def prepare_backend(self) -> None:
        import tensorflow as tf

        self.tf = tf
        tf.config.threading.set_intra_op_parallelism_threads(self.cell.threads)
        tf.config.threading.set_inter_op_parallelism_threads(self.cell.threads)
        self.limit_memory()

    def build(self) -> None:
        self._earlier = _functions_called()
        super().build()
        self.count_traces()

    def limit_memory(self) -> None:
        """Apply :mod:`measure.device`'s policy; only before TensorFlow's first operation."""
        if gpus := self._gpus():
            limit = self.tf.config.LogicalDeviceConfiguration(memory_limit=SHARE * total_mib())
            self.tf.config.set_logical_device_configuration(gpus[0], [limit])

    def _gpus(self) -> Any:
        return self.tf.config.list_physical_devices("GPU")

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_tensorflow(self.tf)

    def force_precision(self, precision: str) -> None:
        self.tf.config.experimental.enable_tensor_float_32_execution(precision == "tf32")

    def fence(self) -> None:
        # Host operations of a step are done when the step's call returns (a tf.function is run
        # synchronously); only devices may lag behind. Without one this would wait for nothing.
        if self.cell.accelerator == "cuda":
            self.tf.test.experimental.sync_devices()

    def dataset(self, batch_size: int) -> Any:
        """Return one batch, converted to tensors once and repeated, as users of TensorFlow do: the
        same under both Keras. A data set in Python would be copied into tensors again in each step.
        """
        self.fed_batch = self._batch(batch_size)
        # A list would become one tensor; Keras makes tuples of a user's lists, too.
        batch = mapped(lambda array: array, self.fed_batch)
        return self.tf.data.Dataset.from_tensors(batch).repeat(ENDLESS)

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "threads": self.requested_threads()}

    def eager(self) -> bool:
        """Return True if no graph is made, by Keras' or by TensorFlow's own switch."""
        return bool(self.model.run_eagerly or self.tf.config.functions_run_eagerly())

    def count_traces(self) -> None:
        """Count traces of the step: its Python runs while it is traced, never after. A function
        that the builder has called, and so traced, is made again.
        """
        self._traces = 0
        for name in ("train_function", "predict_function", "test_function", "generate_function"):
            if getattr(self.model, name, None):
                setattr(self.model, name, None)
        # A loop of the builder's own may take any of them.
        names = [*STEPS.values(), "test_step"] if self.own_loop else [STEPS[self.cell.task]]
        for name in [name for name in names if hasattr(self.model, name)]:
            setattr(self.model, name, self._counted(getattr(self.model, name)))

    def _counted(self, step: Any) -> Any:
        def counted(*args: Any, **options: Any) -> Any:
            if not self.tf.executing_eagerly():
                self._traces += 1
                self._traced = self.tf.compat.v1.get_default_graph()
            return step(*args, **options)

        return counted

    def products(self) -> Iterable[products.Product]:
        """Return products of the step that was traced last."""
        if self._traced is None:
            raise ValueError("no step was traced")
        return products.of_tensorflow(self._traced)

    def compilations(self) -> int | None:
        """Return traces so far. Without one no step of the same size compiles a program of XLA."""
        return self._traces

    def requested_threads(self) -> int:
        """Return the threads of TensorFlow's pools; of two sizes that which was not requested."""
        pools = self.tf.config.threading
        within = int(pools.get_intra_op_parallelism_threads())
        between = int(pools.get_inter_op_parallelism_threads())
        return within if between == self.cell.threads else between

    def _flushes_denormals(self, jit: bool) -> bool:
        half = self.tf.function(lambda x: x * 0.5, jit_compile=jit)
        return flushed(lambda x: half(self.tf.constant(x)).numpy())

    def execution(self, jit: bool) -> dict[str, Any]:
        eager = self.eager()
        if not (eager or self._traces):
            # A custom loop may leave alone what Keras compiles, and have functions of its own.
            graphs, jits = map(sub, _functions_called(), self._earlier)
            eager, jit = not (graphs or jits), jits > 0
        jit = jit and not eager
        gpus = self._gpus()
        details = self.tf.config.experimental.get_device_details(gpus[0]) if gpus else {}
        return {
            "execution": "jit" if jit else "eager" if eager else "graph",
            "compiler": "xla" if jit else "none" if eager else "tf-graph",
            "device": details.get("device_name", "GPU") if gpus else "cpu",
            "threads": self.xla_threads(self.requested_threads(), jit),
            "flush_denormals": None if gpus else self._flushes_denormals(jit),
            "onednn": None if gpus else _uses_onednn(),
        }

    profiler = "tf.profiler, kernels of the executor and operations of XLA programs"

    def runs_programs(self) -> bool:
        return self.compiled()

    def start_trace(self, folder: str) -> None:
        profiler = self.tf.profiler.experimental
        options = profiler.ProfilerOptions(host_tracer_level=2, python_tracer_level=0)
        profiler.start(folder, options=options)

    def stop_trace(self) -> None:
        self.tf.profiler.experimental.stop()

    def events(self, path: Path) -> Iterator[Event]:
        from tensorflow.tsl.profiler.protobuf import xplane_pb2

        for plane in xplane_pb2.XSpace.FromString(path.read_bytes()).planes:
            names = {key: fact.name for key, fact in plane.stat_metadata.items()}
            for line in plane.lines:
                for event in line.events:
                    name = plane.event_metadata[event.metadata_id].name
                    start_ns = line.timestamp_ns + event.offset_ps / 1000
                    duration_ns = event.duration_ps / 1000
                    facts = dict(_facts(event.stats, names))
                    yield Event(plane.name, line.name, name, start_ns, duration_ns, facts)

    def backend_version(self) -> str:
        return f"tensorflow {self.tf.__version__}"

    peak_device_counts = "tensors in TensorFlow's allocator, from the end of the warm-up"

    def restart_peak_device(self) -> None:
        if self._gpus():
            self.tf.config.experimental.reset_memory_stats("GPU:0")

    def peak_device_mib(self) -> float | None:
        if not self._gpus():
            return None
        return float(self.tf.config.experimental.get_memory_info("GPU:0")["peak"] / 2**20)

    def device_limit_mib(self) -> float | None:
        gpus = self._gpus()
        limits = self.tf.config.get_logical_device_configuration(gpus[0]) if gpus else None
        return limits[0].memory_limit if limits else None


def _uses_onednn() -> bool | None:
    """Return whether operations compute by oneDNN; None in a release without that function."""
    with contextlib.suppress(ImportError, AttributeError):
        from tensorflow.python.util import _pywrap_util_port

        return bool(_pywrap_util_port.IsMklEnabled())
    return None


def _functions_called() -> tuple[int, int]:
    """Return how many functions of TensorFlow were called so far, without and with XLA, by its own
    counters; zeros in a release without them.
    """
    with contextlib.suppress(ImportError, AttributeError):
        from tensorflow.python.eager.polymorphic_function import polymorphic_function

        counter = polymorphic_function._tf_function_counter
        return counter.get_cell("0").value(), counter.get_cell("1").value()
    return 0, 0


def _facts(facts: Any, names: dict[int, str]) -> Iterator[tuple[str, Any]]:
    for fact in facts:
        name = names[fact.metadata_id]
        if name in FACTS:
            kind = fact.WhichOneof("value")
            value = getattr(fact, kind)
            yield name, names[value] if kind == "ref_value" else value
