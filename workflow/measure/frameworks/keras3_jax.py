"""Keras 3 on JAX."""

from measure.frameworks.keras3 import Keras3Framework
from measure.frameworks.xplane import Trace


class Framework(Keras3Framework):
    backend = "jax"

    def prepare_backend(self):
        import jax
        from jax import monitoring

        self.jax = jax
        self._compiled = 0
        monitoring.register_event_duration_secs_listener(self._count)

    def _count(self, event, duration_secs, **_):
        if event == "/jax/core/compile/backend_compile_duration":
            self._compiled += 1

    def force_precision(self, precision):
        names = {"float32": "float32", "tf32": "tensorfloat32"}
        self.jax.config.update("jax_default_matmul_precision", names[precision])

    def fence(self):
        # The state of the last step, every updated variable and metric in it.
        # One program computes state and outputs, so all are ready together;
        # block_until_ready needs the leaves: the state itself is an opaque dict
        # of Keras containers to it, and waiting for that waits for nothing.
        state = getattr(self.model, "_jax_state", None)
        if state:
            self.jax.block_until_ready(self.keras.tree.flatten(state))

    def settle(self):
        # The step's state lives outside the model until it is synchronised; the
        # loop was left before it did so.
        self.model.jax_state_sync()

    def compilations(self):
        return self._compiled

    def execution(self, jit):
        device = self.jax.devices()[0]
        gpu = device.platform != "cpu"
        return {
            "execution": "jit" if jit else "eager",
            "compiler": "xla" if jit else "none",
            "device": device.device_kind,
            # XLA's pool on the host has one thread per processor of the affinity mask.
            "threads": None if gpu else self.cell.threads,
            "flush_denormals": True,
        }

    profiler = "jax.profiler, operations of XLA programs"

    def begin_profile(self):
        options = self.jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        self._trace = Trace(
            lambda folder: self.jax.profiler.start_trace(folder, profiler_options=options),
            self.jax.profiler.stop_trace,
            self._events,
        )

    def end_profile(self):
        return self._trace.end()

    def _events(self, path):
        for plane in self.jax.profiler.ProfileData.from_file(str(path)).planes:
            for line in plane.lines:
                for event in line.events:
                    facts = dict(event.stats)
                    yield (
                        plane.name,
                        line.name,
                        event.name,
                        event.start_ns,
                        event.duration_ns,
                        facts,
                    )

    def backend_version(self):
        return f"jax {self.jax.__version__}"

    def peak_device_mib(self):
        stats = self.jax.devices()[0].memory_stats()
        return stats["peak_bytes_in_use"] / 2**20 if stats else None
