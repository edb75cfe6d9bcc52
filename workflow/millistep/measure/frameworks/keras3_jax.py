"""Keras 3 on JAX."""

import inspect
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from millistep.measure import device
from millistep.measure.device import SHARE
from millistep.measure.frameworks import Clock, products
from millistep.measure.frameworks.keras3 import Keras3Framework
from millistep.measure.frameworks.loops import mapped
from millistep.measure.frameworks.products import flushed
from millistep.measure.frameworks.xplane import FACTS, Event, NoOperation, Traced

# Environment variables with the share of a GPU's memory that JAX may take: of today, and before.
FRACTION, FORMER_FRACTION = "XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"

LEFT_OF_A_STEP = 1.5  # times an operation on an idle device: a longer wait is for a step


class Framework(Traced, Keras3Framework):
    backend = "jax"
    _outputs: list[Any]  # of steps since a synchronization, if no state to wait for
    _taken_out: Sequence[tuple[Any, Any]] = ()  # variables that a loop takes out of the model
    _leaves_work: bool | None = None  # True if a custom loop does not wait; None before a step

    def prepare_backend(self) -> None:
        # The policy of measure.device, read when JAX first looks for its devices; a user who
        # has set the variable's old name did so on purpose, and JAX refuses both.
        if FORMER_FRACTION not in os.environ:
            from jaxlib import xla_client

            today = FRACTION in inspect.getsource(xla_client)
            os.environ.setdefault(FRACTION if today else FORMER_FRACTION, str(SHARE))
        import jax
        from jax import monitoring

        self.jax, self._outputs = jax, []
        self._events: Counter[str] = Counter()  # JAX' own, by name
        monitoring.register_event_duration_secs_listener(self._count)
        monitoring.register_event_listener(self._count)

    def _count(self, event: str, *_: float, **more: Any) -> None:
        self._events[event.removeprefix("/jax/")] += 1

    def compile_cache(self) -> str | None:
        """Return the state of the cache, by the programs that JAX looked for, those of building
        included. JAX counts look-ups without a folder, and reports no miss for calls of the host.
        """
        names = ("compile_requests_use_cache", "cache_hits")
        looked, found = (self._events[f"compilation_cache/{name}"] for name in names)
        if not looked or not self.jax.config.jax_compilation_cache_dir:
            return None
        return "warm" if found == looked else "cold"

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_jax(self.jax)

    def force_precision(self, precision: str) -> None:
        names = {"float32": "float32", "tf32": "tensorfloat32"}
        self.jax.config.update("jax_default_matmul_precision", names[precision])

    def build(self) -> None:
        super().build()
        self._leaves_work = None
        if self.own_loop:
            self._wait_ns()  # compiles it
        predicts = self.cell.task == "predict" and not self._unseen
        state = self.model.trainable_variables or self.model.non_trainable_variables
        # Without a program around the step, the state is what went in, and ready at once.
        if predicts and not (state and self.compiled()):
            self._keep_outputs()

    def _keep_outputs(self) -> None:
        """Keep the outputs of steps, to wait for them where no state shows when a step is ready."""
        self.model.make_predict_function()
        step = self.model.predict_function

        def kept(state: Any, iterator: Any) -> Any:
            outputs, state = step(state, iterator)
            self._outputs.append(outputs)
            return outputs, state

        self.model.predict_function = kept

    def fence(self) -> None:
        # The state of the last step, every updated variable and metric in it. One program computes
        # state and outputs, so all are ready together; without one, outputs are kept.
        # block_until_ready needs the leaves: for Keras' containers, it waits for nothing.
        for ready in getattr(self.model, "_jax_state", None), self._outputs:
            if ready:
                arrays = leaves(self.keras, ready)
                if self.own_loop:  # another model with the same weights may have taken them over
                    arrays = [array for array in arrays if not array.is_deleted()]
                self.jax.block_until_ready(arrays)
        self._outputs = []
        # A custom loop may have dropped its results; the first step shows if it waits for them.
        if self.own_loop and self._leaves_work is not False:
            waited_ns = self._wait_ns()
            if self._leaves_work is None:
                self._leaves_work = waited_ns > LEFT_OF_A_STEP * self._wait_ns()

    def _wait_ns(self) -> int:
        """Wait for all operations so far, even of dropped results, by one more; return the ns."""
        start = time.perf_counter_ns()
        self.jax.block_until_ready(self.jax.numpy.zeros(()) + 1)
        return time.perf_counter_ns() - start

    def late_ns(self) -> int:
        # All that lives on the device; only batches of later steps may still be on their way there.
        fed = {getattr(array, "shape", None) for array in leaves(self.keras, self.fed_batch)}
        living = [array for array in self.jax.live_arrays() if not array.is_deleted()]
        late = [array for array in living if array.shape not in fed and not array.is_ready()]
        start = time.perf_counter_ns()
        self.jax.block_until_ready(late)
        return time.perf_counter_ns() - start if late else 0

    def settle(self) -> None:
        # The loop was left before the step's state was put back into the model.
        self.model.jax_state_sync()
        for variable, value in self._taken_out:
            variable.assign(value)

    def _call(self, data: Any, callback: Any) -> None:
        self._outputs, self._taken_out = [], ()
        if self._unseen:
            self._taken_out = [(v, v.value) for v in self.model.non_trainable_variables]
        super()._call(data, callback)

    def _clock(self, timer: Clock) -> Any:
        clock = super()._clock(timer)
        if self._unseen:
            # To be handed the outputs changes nothing in how these releases dispatch steps.
            clock.on_predict_batch_end = self._look
            clock.async_safe = True
        return clock

    @property
    def _unseen(self) -> bool:
        """True if only a step's outputs show when it is ready, and no state of the model does.

        Early releases of Keras set the state of ``predict`` only after the loop. They lose the
        variables that the loop has taken out of the model if it is left early.
        """
        if self.cell.task != "predict":
            return False
        loop = inspect.getsource(self.keras.Model.predict).partition("on_predict_batch_end")[0]
        return "self._jax_state = {" not in loop

    def _look(self, batch: int, logs: Any = None) -> None:
        # Outputs of all steps: with no state handed on to the next, they may end in any order.
        self._outputs.append(logs)

    def eager(self) -> bool:
        return super().eager() or bool(self.jax.config.jax_disable_jit)

    def wider(self, live: str) -> str:
        if live != "float32" or self.jax.config.jax_enable_x64:
            return ""
        return ": set environment: {JAX_ENABLE_X64: '1'} in the configuration"

    def products(self) -> Iterable[products.Product]:
        """Return products of a forward pass, which is traced and not computed."""
        given = self.forward_inputs(self.cell.batch_size)
        model, abstract = self.model, self.jax.ShapeDtypeStruct
        inputs = mapped(lambda x: abstract(x.shape, x.dtype), given)
        lists = model.trainable_variables, model.non_trainable_variables
        state = [[abstract(v.value.shape, v.value.dtype) for v in each] for each in lists]
        traced = self.jax.make_jaxpr(lambda t, n, x: model.stateless_call(t, n, x)[0])
        return products.of_jax(traced(*state, inputs).jaxpr)

    def optimizer_update(self, jit: bool) -> str:
        return super().optimizer_update(jit) if jit else "operation by operation"

    def compilations(self) -> int | None:
        return self._events["core/compile/backend_compile_duration"]

    def execution(self, jit: bool) -> dict[str, Any]:
        if self.own_loop:  # it may leave alone what Keras compiles
            self.declared |= {"execution", "compiler"}
        device = self.jax.devices()[0]
        gpu = device.platform != "cpu"
        return {
            "execution": "jit" if jit else "eager",
            "compiler": "xla" if jit else "none",
            "device": device.device_kind,
            # One per CPU of the affinity mask; JAX has neither an option nor a report of it.
            "threads": None if gpu else self.xla_threads(self.cell.threads),
            "flush_denormals": None if gpu else flushed(self.jax.jit(lambda x: x * 0.5)),
        }

    profiler = "jax.profiler, operations of XLA programs"

    def start_trace(self, folder: str) -> None:
        # Such releases also record no operation of a program on the host.
        if not hasattr(self.jax.profiler, "ProfileData"):
            raise NoOperation(f"JAX {self.jax.__version__} cannot read the traces that it writes")
        options = self.jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        self.jax.profiler.start_trace(folder, profiler_options=options)

    def stop_trace(self) -> None:
        self.jax.profiler.stop_trace()

    def events(self, path: Path) -> Iterator[Event]:
        for plane in self.jax.profiler.ProfileData.from_file(str(path)).planes:
            for line in plane.lines:
                for event in line.events:
                    facts = {name: value for name, value in event.stats if name in FACTS}
                    times = (event.start_ns, event.duration_ns)
                    yield Event(plane.name, line.name, event.name, *times, facts)

    def backend_version(self) -> str:
        return f"jax {self.jax.__version__}"

    peak_device_counts = (
        "buffers in XLA's allocator, from the start: with what building and compiling took, "
        "since JAX cannot start its count again"
    )

    def peak_device_mib(self) -> float | None:
        return self._memory_mib("peak_bytes_in_use")

    def allocated_bytes(self) -> int | None:
        """Return the bytes of the compiled step's temporary values and results, without results
        that replace its inputs; None for a custom loop, whose step may run several programs.
        """
        name = f"jit_{'train' if self.cell.task == 'fit' else 'predict'}_step"
        programs = self.jax.devices()[0].client.live_executables()
        steps = [each for each in programs if each.hlo_modules()[0].name == name]
        if self.own_loop or len(steps) != 1:
            return None
        sizes = steps[0].get_compiled_memory_stats()
        made = sizes.temp_size_in_bytes + sizes.output_size_in_bytes
        return int(made - sizes.alias_size_in_bytes)

    def device_limit_mib(self) -> float | None:
        return self._memory_mib("bytes_limit")

    def _memory_mib(self, name: str) -> float | None:
        """Return one of JAX' memory statistics; None on a CPU, where JAX counts nothing."""
        counted = (self.jax.devices()[0].memory_stats() or {}).get(name)
        return None if counted is None else counted / 2**20


def leaves(keras: Any, structure: Any) -> Any:
    """Return all arrays in Keras' nested containers; to JAX each of those is one opaque leaf."""
    if hasattr(keras, "tree"):
        return keras.tree.flatten(structure)
    import jax  # before Keras 3.4 the containers were Python's

    return jax.tree_util.tree_leaves(structure)
