"""Native PyTorch: the loop a PyTorch user writes, around a library's own model."""

import contextlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from millistep.measure import conformance, device, models
from millistep.measure.frameworks import Cell, Clock, builder, loops, optimizers, products
from millistep.measure.frameworks.loops import LEFT, leaves
from millistep.measure.frameworks.products import Multiply, used
from millistep.measure.frameworks.torch import TorchFramework, averages
from millistep.measure.models import Tick
from millistep.measure.process import line_of_model

Tensors = dict[str, Any]  # the tensors of a batch, by name
Step = Callable[[Tensors], Any]
QUANTIZED = "torch.ao.nn.quantized"  # modules whose weights are packed
NO_GRADIENT = "does not require grad"  # in PyTorch's message


class Framework(TorchFramework):
    """Eager PyTorch; the compiled framework overrides :meth:`compile`."""

    family = "pytorch"
    probeable = True
    fed: dict[str, Any] = loops.OWN_LOOP
    _nested = False  # True if a batch has lists or dicts in it
    model: Any
    optimizer: Any

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self.declared: set[str] = {"attention", "scheduler"}

    def load(self) -> None:
        self.prepare_backend()
        self.models = builder(self.cell, self.family)

    def live_accelerator(self) -> tuple[str, str]:
        return device.of_torch(self.torch, self.torch.empty(0, device=self.cell.accelerator))

    def build(self) -> None:
        self.seed()
        self.device = self.torch.device(self.cell.accelerator)
        conformance.check_loops(self.models, self.cell.task)
        model = self.models.build(self.cell)
        conformance.check_has(model, "build()", "a torch.nn.Module", "to", "parameters")
        self.model = model.to(self.device)
        with contextlib.suppress(NotImplementedError):  # of torch.export, which has one mode
            self.model.train(self.cell.task == "fit")
        fits = self.cell.task == "fit"
        if fits and self.own_loop and self.cell.optimizer != "default":
            raise conformance.WrongSetting(
                f"optimizer: {self.cell.optimizer} was requested; a custom loop makes its own"
            )
        # A custom loop may bring its optimizer.
        brings = self.own_loop and not hasattr(self.models, "optimizer")
        self.optimizer = self._optimizer() if fits and not brings else None
        self.step_model = self.compile(self.model)

    def _optimizer(self) -> Any:
        optimizer = self.models.optimizer(self.model)
        kind = "one optimizer (a scheduler needs a custom loop)"
        conformance.check_has(optimizer, "optimizer()", kind, "step", "zero_grad")
        if self.cell.optimizer == "default":
            return optimizer
        return optimizers.with_implementation(optimizer, self.cell.optimizer)

    def compile(self, model: Any) -> Any:
        # In place, or around the module.
        if getattr(model, "_compiled_call_impl", None) or hasattr(model, "_orig_mod"):
            raise conformance.WrongSetting(
                f"{self.cell.framework} was requested, build() returned a compiled model; return "
                "the module itself, which pytorch-compiled compiles"
            )
        return model

    def compilations(self) -> int | None:
        """Return the programs of parts that the model itself compiles; None without any."""
        return self.graphs() or None

    def run_at(self, batch_size: int, timer: Clock) -> None:
        loop = self._loop(batch_size)
        timer.start()
        try:
            self.loop_facts, self.loop_outputs = loops.parted(loop(timer.tick))
        except AttributeError as error:
            if error.name not in ("loss", "backward") or line_of_model(error):
                raise
            found = "it returned" if error.name == "loss" else "its loss is"
            raise conformance.WrongModel(
                f"for fit the model must return an object with a loss, as Output in "
                f"docs/custom-model.md; {found} a {type(error.obj).__name__}"
            ) from error
        except RuntimeError as error:
            if self.cell.task != "predict" or self.own_loop or NO_GRADIENT not in str(error):
                raise
            raise conformance.WrongModel(
                "the model takes gradients, and predict runs in torch.inference_mode, which has "
                "none; write a custom loop for predict"
            ) from error

    def settings(self) -> dict[str, Any]:
        found = super().settings()
        if self.optimizer and self.cell.optimizer != "default":
            found["optimizer"] = self._update()
        return found

    def legacy(self, steps: int, cap_s: float) -> tuple[float, int, str]:
        """Return ``(ms, steps, words)`` as published.

        Where the script was Transformers' Trainer (``BY_TRAINER`` of a builder), that looks at the
        loss of each step of ``fit``, and the outputs of ``predict`` end on the host.
        """
        trainer = not self.own_loop and getattr(self.models, "BY_TRAINER", False)
        if self.cell.task == "fit" and not self.own_loop:
            return self._legacy_fit(trainer, steps, cap_s)
        loop = self._loop(self.cell.batch_size)
        return loops.legacy(loop, steps, cap_s, self.fence if trainer else None)

    def _legacy_fit(self, trainer: bool, steps: int, cap_s: float) -> tuple[float, int, str]:
        """Time as published: two steps dropped, of Trainer's one more that is counted."""
        batch = self._host_batch(self.cell.batch_size)
        for _ in range(2):
            self._fit_step(batch, trainer)
        begin_s = time.perf_counter()
        done = 0
        while done < steps - 1 and time.perf_counter() - begin_s < cap_s:
            self._fit_step(batch, trainer)
            done += 1
        step_ms = 1000.0 * (time.perf_counter() - begin_s) / done
        if not trainer:
            return step_ms, done, "host clock, two steps dropped, no synchronization"
        # The original timing method gives 99/100 of the true time, however few steps are made here.
        words = "host clock, 99 steps counted as 100, two steps dropped, each step's loss looked at"
        return step_ms * 99 / 100, done, words

    def _loop(self, batch_size: int) -> Callable[[Tick], dict[str, Any] | None]:
        """Return the task's own loop, or one step after the other over one repeated batch."""
        if self.own_loop:
            return partial(self.own_loop, self.step_model, self.cell, batch_size)
        step, batch = self._step(), self._host_batch(batch_size)

        def changes() -> list[int]:
            return [tensor._version for tensor in loops.flat(batch)]

        def on_new_tensors(batch: Tensors) -> Any:
            """Make a step whose inputs have no gradients yet, as those of a data loader."""
            return step(loops.mapped(self.torch.Tensor.detach, batch))

        before = changes()

        def loop(tick: Tick) -> None:
            if tick():
                return
            conformance.check_output(step(batch))
            marked = any(tensor.requires_grad for tensor in loops.flat(batch))
            next_step = on_new_tensors if marked else step
            while not tick():
                next_step(batch)
            if changes() != before:
                raise conformance.WrongModel(
                    "the model changes its inputs in place, and the next step gets the changed "
                    "ones; change a copy in forward()"
                )

        return loop

    def _host_batch(self, batch_size: int) -> Tensors:
        """Return tensors in host memory as a data loader hands them over."""
        arrays = self.fed_batch = self.batch(batch_size)
        if isinstance(arrays, dict):
            conformance.check_batch(arrays, partial(self.models.batch, self.cell), batch_size)
        batch = self._tensors(arrays)
        kind = "pinned" if all(each.is_pinned() for each in loops.flat(batch)) else "pageable"
        copied = "" if self.cell.accelerator == "cpu" else ", copied in the step"
        self.fed = loops.feeding(f"tensors in {kind} memory{copied}", batch)
        return batch

    def _tensor(self, array: Any) -> Any:
        """Return a tensor of an array; PyTorch refuses one that is read backwards."""
        backwards = any(stride < 0 for stride in array.strides)
        return self.torch.from_numpy(array.copy() if backwards else array)

    def _tensors(self, arrays: dict[str, Any]) -> Tensors:
        """Return tensors, pinned for a GPU: from there a copy can run during the steps."""
        if not isinstance(arrays, dict):
            raise conformance.WrongModel(
                f"batch() returned a {type(arrays).__name__}; needed is a dict with the arguments "
                "of the model's forward pass by name"
            )
        tensors: Tensors = loops.mapped(self._tensor, arrays)
        if self.cell.accelerator == "cuda":
            tensors = loops.mapped(lambda tensor: tensor.pin_memory(), tensors)
        # Without a list or dict in it, a batch is moved by the loop that users write.
        self._nested = any(isinstance(each, tuple | dict) for each in tensors.values())
        return tensors

    def _to_device(self, batch: Tensors) -> Tensors:
        if self._nested:
            moved: Tensors = loops.mapped(lambda t: t.to(self.device, non_blocking=True), batch)
            return moved
        return {name: t.to(self.device, non_blocking=True) for name, t in batch.items()}

    def _step(self) -> Step:
        return {"fit": self._fit_step, "predict": self._predict_step()}[self.cell.task]

    def _fit_step(self, batch: Tensors, looks: bool = False) -> Any:
        loss = self.step_model(**self._to_device(batch)).loss
        loss.backward()
        if looks:
            loss.isnan().item()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return loss.detach()

    def _predict_step(self) -> Step:
        without_gradients: Callable[[Step], Step] = self.torch.inference_mode()

        @without_gradients
        def step(batch: Tensors) -> Any:
            return self.step_model(**self._to_device(batch))

        return step

    def compute(self, batches: list[Any]) -> list[Any]:
        step = self._step()
        found = [leaves(step(self._tensors(batch))) for batch in batches]
        return [tensor.float().cpu().numpy() for tensors in found for tensor in tensors]

    def precision(self) -> dict[str, str]:
        def with_tensors(product: Multiply) -> Multiply:
            device, tensor = self.cell.accelerator, self.torch.from_numpy
            return lambda left, right: product(tensor(left).to(device), tensor(right).to(device))

        convolution = with_tensors(self.torch.nn.functional.conv2d)
        return used(with_tensors(self.torch.matmul), convolution, channels_first=True)

    def work(self) -> dict[str, int]:
        """Return numbers of parameters of the live model, counted as for Keras' models."""
        parameters = list(self.model.parameters())
        if any(self.torch.nn.parameter.is_lazy(each) for each in parameters):
            raise conformance.WrongModel(
                "the model has parameters without a shape yet: call it once in build(cell)"
            )
        biases = self.second_biases(self.model)
        second = sum(each.numel() for each in biases)
        trained = sum(p.numel() for p in self._trained(parameters))
        whole = [*parameters, *self._quantized()]
        return {
            "parameters": sum(p.numel() for p in whole) - second,
            "trainable_parameters": trained - sum(p.numel() for p in self._trained(biases)),
            "moving_averages": sum(each.numel() for each in averages(self.model)),
            "second_biases": second,
        }

    def _quantized(self) -> list[Any]:
        """Return quantized weights, which PyTorch keeps in buffers or packed behind a method."""
        packed = [
            getattr(module, name)()
            for module in self.model.modules()
            if type(module).__module__.startswith(QUANTIZED)
            for name in ("weight", "bias")
            if callable(getattr(module, name, None))
        ]
        held = [each for each in self.model.buffers() if each.dtype == self.torch.int8]
        return [*held, *(each for each in packed if each is not None)]

    def _trained(self, parameters: list[Any]) -> list[Any]:
        """Return those that have gradients and that the optimizer, if any, updates."""
        groups = getattr(self.optimizer, "param_groups", None)
        if groups is not None:
            updated = {id(each) for group in groups for each in group["params"]}
            parameters = [each for each in parameters if id(each) in updated]
        return [each for each in parameters if each.requires_grad]

    def norms(self, number: int | None = None) -> list[float]:
        trained = self._trained([*self.model.parameters()])
        weights = sorted(trained, key=lambda p: (p.ndim < 2, p.numel()))[:number]
        return [float(p.detach().abs().sum(dtype=self.torch.float64)) for p in weights]

    def outputs(self) -> Any:
        if self.own_loop:
            return None
        batch = self._tensors(self.models.batch(self.cell, self.cell.batch_size))
        with self.torch.no_grad():
            return self.model(**self._to_device(batch))

    def products(self) -> list[products.Product]:
        """Return products of a forward pass, which is run once without torch.compile."""
        if self.own_loop:
            raise ValueError("operations of a custom loop are not inspected")
        arrays = self.models.batch(self.cell, min(2, self.cell.batch_size))
        batch = self._to_device(self._tensors(arrays))
        return products.of_torch(self.torch, lambda: self.model(**batch))

    def parity(self) -> dict[str, Any]:
        optimizer = self.optimizer
        return {
            "framework_version": self.backend_version(),
            "model_library": models.library(self.models),
            "backend": "torch",
            "dtype": products.dtype(self, self._dtype()),
            "optimizer": type(optimizer).__name__ if optimizer else None,
            "optimizer_update": f"{optimizers.known(self._update)}, eager" if optimizer else None,
            "metrics": "none" if optimizer else None,
            "step_results": None if self.own_loop else LEFT,
            "image_data_format": self._image_data_format(),
            "attention": models.attention(self.models, self.model),
            "compile_mode": self.cell.mode,
            **self.execution(),
            **self.device_facts(),
            **self.fed,
            **self.loop_facts,
            **models.facts(self.models, self.model, self.cell),
        }

    def _update(self) -> str:
        return optimizers.of_torch(self.torch, self.optimizer, self.cell.accelerator)

    def _dtype(self) -> str:
        """Dtype of the parameters, or of the inputs if there are no parameters."""
        for parameter in self.model.parameters():
            return str(parameter.dtype).removeprefix("torch.")
        arrays = self.models.batch(self.cell, self.cell.batch_size)
        return str(next(loops.flat(arrays)).dtype)

    def _image_data_format(self) -> str:
        """Order of the axes of filters and fed images in memory, by either of which PyTorch
        chooses; its shapes are channels first either way.
        """
        last = self.torch.channels_last
        fed = [self._tensor(each) for each in loops.flat(self.fed_batch) if each is not None]
        found = [each for each in (*self.model.parameters(), *fed) if each.ndim == 4]
        found = [each for each in found if min(each.shape[1:3]) > 1]
        moved = [each for each in found if each.is_contiguous(memory_format=last)]
        return "channels_last" if moved else "channels_first"

    def execution(self) -> dict[str, Any]:
        if self.graphs():
            return self.compiled_execution()
        scripted = self.torch.jit.ScriptModule
        if any(isinstance(module, scripted) for module in self.model.modules()):
            return {"execution": "jit", "compiler": "torchscript", "cuda_graphs": False}
        return {"execution": "eager", "compiler": "none", "cuda_graphs": False}
