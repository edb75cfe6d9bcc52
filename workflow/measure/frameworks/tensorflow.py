"""What the TensorFlow columns share, Keras 2 and Keras 3: threads, fence, counters."""


class TensorFlowMixin:
    """Needs ``self.tf`` (the module), ``self.cell`` and ``self.model``."""

    def apply_threads(self):
        """One policy for all pools; before TensorFlow's first operation."""
        self.tf.config.threading.set_intra_op_parallelism_threads(self.cell.threads)
        self.tf.config.threading.set_inter_op_parallelism_threads(self.cell.threads)

    def force_precision(self, precision):
        self.tf.config.experimental.enable_tensor_float_32_execution(precision == "tf32")

    def fence(self):
        # Host operations of a step are done when the step's call returns (a
        # tf.function is run synchronously); only devices may lag behind.
        self.tf.test.experimental.sync_devices()

    def count_traces(self):
        """Count traces of the step: its Python runs while it is traced, never after."""
        self._traces = 0
        name = f"{_STEP[self.cell.task]}_step"
        step = getattr(self.model, name)

        def counted(*args, **options):
            self._traces += 1
            return step(*args, **options)

        setattr(self.model, name, counted)

    def compilations(self):
        """Traces so far; one trace compiles one XLA program."""
        return self._traces

    def device_facts(self):
        gpus = self.tf.config.list_physical_devices("GPU")
        if gpus:
            name = self.tf.config.experimental.get_device_details(gpus[0]).get("device_name", "GPU")
        else:
            name = "cpu"
        return {
            "device": name,
            "threads": self.tf.config.threading.get_intra_op_parallelism_threads(),
            # TensorFlow flushes denormals to zero in all its compute threads.
            "flush_denormals": True,
        }

    def execution(self, jit):
        return {
            "execution": "jit" if jit else "graph",
            "compiler": "xla" if jit else "tf-graph",
            **self.device_facts(),
        }

    def backend_version(self):
        return f"tensorflow {self.tf.__version__}"

    def peak_device_mib(self):
        if not self.tf.config.list_physical_devices("GPU"):
            return None
        return self.tf.config.experimental.get_memory_info("GPU:0")["peak"] / 2**20


_STEP = {"fit": "train", "predict": "predict", "generate": "generate"}
