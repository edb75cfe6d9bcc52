"""What the PyTorch columns share, Keras 3 on torch and native: threads, fence, facts."""

# On the host: ATen's operations, and what inductor made of a graph, as a whole.
COMPUTING = ("aten::", "## Call CompiledFxGraph", "CompiledFunction")


class TorchMixin:
    """Needs ``self.torch`` (the module) and ``self.cell``."""

    def apply_threads(self):
        self.torch.set_num_threads(self.cell.threads)
        if self.cell.accelerator == "cpu":
            # As TensorFlow and XLA do by themselves. Without it the *values* of
            # the weights set the speed (two to three times slower in training).
            self.torch.set_flush_denormal(True)

    def force_precision(self, precision):
        tf32 = precision == "tf32"
        self.torch.backends.cuda.matmul.allow_tf32 = tf32
        self.torch.backends.cudnn.allow_tf32 = tf32

    def fence(self):
        # On the host an operation is done when its call returns.
        if self.cell.accelerator == "cuda":
            self.torch.cuda.synchronize()

    def device_facts(self):
        cuda = self.cell.accelerator == "cuda"
        return {
            "device": self.torch.cuda.get_device_name() if cuda else "cpu",
            "threads": self.torch.get_num_threads(),
            "flush_denormals": self._flushes_denormals(),
        }

    def _flushes_denormals(self):
        if self.cell.accelerator == "cuda":
            return None
        tiny = self.torch.tensor([1e-39], dtype=self.torch.float32)
        return bool((tiny * 0.5).item() == 0.0)

    profiler = "torch.profiler, ATen operations, compiled graphs and CUDA kernels"

    def begin_profile(self):
        from torch.profiler import ProfilerActivity, profile

        kinds = {ProfilerActivity.CPU}
        if self.cell.accelerator == "cuda":
            kinds.add(ProfilerActivity.CUDA)
        self._profile = profile(activities=kinds)
        self._profile.start()

    def end_profile(self):
        self._profile.stop()
        events = self._profile.events()
        names = {event.name.removeprefix("aten::_").removesuffix("_backward") for event in events}
        self.attention_kernels = sorted(n for n in names if n.startswith("scaled_dot_product_"))
        device = self.torch.autograd.DeviceType.CUDA
        kernels = [event for event in events if event.device_type == device]
        if self.cell.accelerator == "cpu":
            kernels = [event for event in events if event.name.startswith(COMPUTING)]
        return [
            (int(1000 * event.time_range.start), int(1000 * event.time_range.end))
            for event in kernels
        ]

    def backend_version(self):
        return f"torch {self.torch.__version__}"

    def peak_device_mib(self):
        if self.cell.accelerator != "cuda":
            return None
        return self.torch.cuda.max_memory_allocated() / 2**20
