"""What every Keras column shares: the loop, the clock, the published arithmetic.

The clock is read in ``on_*_batch_begin``. Keras calls it on the thread that issues the steps, with
every backend, and the clock changes nothing in how steps are dispatched: overriding
``on_*_batch_end`` would switch Keras 3.6 and later to waiting for each step on JAX and PyTorch
(keras pull request 20284), and Keras 2 fetches a step's results for any callback of a batch that
does not take tensors.
"""

import contextlib
import re
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from millistep.measure import conformance, device, models
from millistep.measure.frameworks import Cell, Clock, Framework, loops, products
from millistep.measure.frameworks.loops import FETCHED, joined, leaves
from millistep.measure.frameworks.products import parameters
from millistep.measure.models import Tick
from millistep.measure.timer import Finished

Hook = Callable[[int, Any], None]  # takes the number of a batch, and its results
# A dataset needs a length (or Keras calls one more "begin" than "end"); no run gets near it.
ENDLESS = 10_000_000
# Weights without gradients, by their names: averages of batch normalization, statistics of
# Normalization, and the vector of SpectralNormalization.
AVERAGES = ("moving_mean", "moving_variance", "mean", "variance", "count", "vector_u", "sn_u")
# The method of a step, by task.
STEPS = {"fit": "train_step", "predict": "predict_step", "generate": "generate_step"}
ACCUMULATES = "gradient_accumulation_steps"
# A GRU has two biases in Keras, too (reset_after).
CELLS_WITH_A_BIAS = ("LSTMCell", "SimpleRNNCell")


class KerasFramework(Framework):
    """Base of the Keras columns; subclasses set the version of Keras and the backend."""

    probeable = True
    keras: Any  # the module
    version = backend = ""  # Keras with its version, and the backend
    # Observed settings that a version of Keras or a backend reads in its own way.
    backend_version: Callable[[], str]
    execution: Callable[[bool], dict[str, Any]]
    metrics: Callable[[], str]  # 'loss', or 'loss, accuracy'
    auto_jit_compile: Callable[[], bool | None]
    model: Any

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self.declared: set[str] = {"attention", "scheduler"}
        self._callback: Any = None  # the clock that Keras was given last
        self._ended: list[Finished] = []  # holds the frames of ended loops

    def build(self) -> None:
        self.seed()
        self.model = self.models.build(self.cell)
        conformance.check_has(self.model, "build()", "a keras.Model", "weights")
        conformance.check_loops(self.models, self.cell.task)
        if not self.own_loop:
            conformance.check_method(self.model, self.cell.task, self.keras, self.version)
        self._make_weights()

    def run_at(self, batch_size: int, timer: Clock) -> None:
        """Make one call of the public API, which lasts until the timer has enough steps."""
        loop = self._loop(batch_size)
        data = None if loop else self.dataset(batch_size)
        timer.start()
        with self._until_finished():
            if loop:
                self.loop_facts, self.loop_outputs = loops.parted(loop(timer.tick))
            else:
                self._callback = self._clock(timer)
                self._call(data, self._callback)

    @property
    def batches_per_tick(self) -> int:  # type: ignore[override]  # read from the model
        """Batches that Keras hands to one call of its compiled function."""
        return 1 if self.own_loop else self.steps_per_execution()

    def steps_per_execution(self) -> int:
        number = self.model.steps_per_execution
        if isinstance(number, str):  # 'auto', by which Keras looks for the best one as it runs
            raise conformance.WrongModel(
                f"steps_per_execution is {number!r} and changes; needed is a whole number"
            )
        return int(number or 1)  # None in Keras 2 before it is set

    def settings(self) -> dict[str, Any]:
        return {"jit_compile": self.compiled()}

    def compiled(self) -> bool:
        return bool(self.model.jit_compile) and not self.eager()

    def eager(self) -> bool:
        """Return True if Keras runs the operations of a step one by one."""
        return bool(self.model.run_eagerly)

    def _make_weights(self) -> None:
        """Have a model make the weights that it lacks, as ``fit`` does at the first batch."""
        done = self.model.weights if self.own_loop else self.has_weights()
        if done or not hasattr(self.models, "batch"):
            return
        inputs = self._batch(self.cell.batch_size)[0]
        try:
            self.show(inputs)
        except Exception as error:
            if self.model.weights:  # it makes others, if any, at the first batch
                return
            words = f"{type(error).__name__}: {_own_words(str(error))}"
            raise conformance.WrongModel(
                f"the model has no weights yet, and Keras cannot make them from a batch ({words}): "
                "call the model once in build(cell), or give its class a method build"
            ) from error

    def has_weights(self) -> bool:
        return bool(self.model.built)

    def show(self, inputs: Any) -> Any:
        """Call the model with symbols of the inputs, which computes nothing; return its outputs."""
        symbol = self.keras.KerasTensor
        return self.model(loops.mapped(lambda array: symbol(array.shape, str(array.dtype)), inputs))

    def outputs(self) -> Any:
        return None if self.own_loop else self.show(self._batch(self.cell.batch_size)[0])

    def _batch(self, batch_size: int) -> tuple[Any, ...]:
        """Return the batch of the builder: inputs, targets, weights of the samples."""
        batch = self.batch(batch_size)
        if not isinstance(batch, tuple) or len(batch) not in (1, 2, 3):
            number = f" of {len(batch)}" if isinstance(batch, tuple) else ""
            raise conformance.WrongModel(
                f"batch() returned a {type(batch).__name__}{number}; needed is a tuple: (inputs,), "
                "(inputs, targets) or (inputs, targets, sample_weight)"
            )
        given = tuple(each for each in batch if each is not None)  # Keras takes targets of None
        make = partial(self.models.batch, self.cell)
        conformance.check_batch(given, make, batch_size, self.takes_texts)
        return batch

    def legacy(self, steps: int, cap_s: float) -> tuple[float, int, str]:
        """Return ``(ms, steps, words)`` as published: host clock in batch callbacks, without a
        synchronization, but Keras may fetch each step's results for the callbacks.
        """
        loop = self._loop(self.cell.batch_size)
        if loop:
            return loops.legacy(loop, steps, cap_s)
        if self.batches_per_tick > 1:
            raise ValueError("the original timing method needs a callback for each batch")
        begin_s, timed_s, last = 0.0, 0.0, 0

        def begin(batch: int, logs: Any = None) -> None:
            nonlocal begin_s
            if batch == 1:
                begin_s = time.perf_counter()

        def end(batch: int, logs: Any = None) -> None:
            nonlocal timed_s, last
            elapsed_s = time.perf_counter() - begin_s
            if batch and (batch == steps or elapsed_s > cap_s):
                timed_s, last = elapsed_s, batch
                raise Finished

        callback = self._with_hooks(begin, end)
        with self._until_finished():
            self._call(self.dataset(self.cell.batch_size), callback)
        waits = self.results_for(callback) == FETCHED
        words = "results fetched in each step" if waits else loops.NO_FENCE
        words = f"host clock in batch callbacks, first step dropped, {words}"
        return 1000.0 * timed_s / last, last, words

    @contextlib.contextmanager
    def _until_finished(self) -> Iterator[None]:
        try:
            yield
        except Finished as end:
            # Its traceback holds the frames of the loop, and with them an iterator. Where that does
            # not end slowly, they would keep arrays on the device as long as the process lives.
            if self.ends_slowly:
                self._ended.append(end)
        finally:
            self.settle()

    def _loop(self, batch_size: int) -> Callable[[Tick], dict[str, Any] | None] | None:
        own = self.own_loop
        return own and partial(own, self.model, self.cell, batch_size)

    def forward_inputs(self, batch_size: int) -> Any:
        """Return the inputs of a forward pass that has the products of a step; raises ValueError
        if it may have others.
        """
        step, kind = STEPS[self.cell.task], self.keras.Model
        if self.own_loop or getattr(type(self.model), step) is not getattr(kind, step):
            raise ValueError("operations of a custom loop or step are not inspected")
        return self._batch(batch_size)[0]

    def model_library(self) -> str | None:
        library = self.library()
        return versioned(library) if library else None

    def library(self) -> Any:
        names = ("keras_hub", "keras_nlp", "keras_cv")
        return next(filter(None, (getattr(self.models, name, None) for name in names)), None)

    fed_as = "NumPy arrays"
    takes_texts = False
    ends_slowly = False  # True if the end of an iterator takes seconds, which belong to no step

    def keeps_outputs(self) -> bool:
        return self.cell.task == "predict" and not self.own_loop

    @abstractmethod
    def results_for(self, callback: Any) -> str:
        """Return how Keras treats a step's results for a callback: FETCHED, BY_A_THREAD or LEFT."""

    @abstractmethod
    def dataset(self, batch_size: int) -> Any:
        """Return the data for the trainer: one batch, repeated."""

    def optimizers(self) -> list[Any]:
        """Return the optimizers that have updated the model: a ``train_step`` may have its own."""
        kind, own = self.keras.optimizers.Optimizer, vars(self.model).values()
        held = [each for each in (self.model.optimizer, *own) if isinstance(each, kind)]
        used = [each for each in dict.fromkeys(held) if _number(each.iterations)]
        compiled = self.model.optimizer
        # Accumulated gradients count once in several steps; older optimizers are of another class.
        known = isinstance(compiled, kind) and not getattr(compiled, ACCUMULATES, None)
        return used if used or known or compiled is None else [compiled]

    def optimizer_name(self) -> str | None:
        """Return the names of the optimizers; a ``train_step`` may update weights without one, and
        a custom loop by one that the model does not hold.
        """
        names = [
            type(each).__name__ + (" with EMA" if getattr(each, "use_ema", False) else "")
            for each in self.optimizers()
        ]
        return ", ".join(names) or (None if self.own_loop else "none")

    def optimizer_update(self, jit: bool) -> str:
        """Return the kind of parameter update: in the program if the backend traces a step."""
        return "in the step's program"

    def xla_threads(self, requested: int, compiled: bool = True) -> int:
        """Return the threads of XLA's pool on the host, or the requested ones, which are declared:
        other pools have no name to count them by.
        """
        if compiled and (counted := device.xla_threads()):
            return counted
        self.declared.add("threads")
        return requested

    def parity(self) -> dict[str, Any]:
        jit, fits = self.compiled(), self.cell.task == "fit"
        optimizer = self.optimizer_name() if fits else None
        driven = self._callback and not self.own_loop  # True if Keras drove the steps
        return {
            "framework_version": f"{self.version}, {self.backend_version()}",
            "model_library": self.model_library(),
            "backend": self.backend,
            "dtype": products.dtype(self, products.declared_dtype(self.model)),
            "image_data_format": str(self.keras.backend.image_data_format()),
            "optimizer": optimizer,
            "optimizer_update": self.optimizer_update(jit) if optimizer else None,
            "metrics": self.metrics() if fits else None,
            "step_results": self.results_for(self._callback) if driven else None,
            "jit_compile": jit,
            "jit_compile_auto": self.auto_jit_compile(),
            "attention": models.attention(self.models, self.model),
            **self.execution(jit),
            **(loops.OWN_LOOP if self.own_loop else loops.feeding(self.fed_as, self.fed_batch)),
            **self.loop_facts,
            **models.facts(self.models, self.model, self.cell),
        }

    def compute(self, batches: list[Any]) -> list[Any]:
        whole, size = joined(batches), self.cell.batch_size
        if any(len(leaf) != size for batch in batches for leaf in leaves(batch)):
            raise ValueError("not compared: the samples are not on the first axis")
        if self.cell.task == "predict":
            return leaves(self.keras.Model.predict(self.model, whole[0], size, verbose=0))
        losses: list[Any] = []
        names = dict(zip(("x", "y", "sample_weight"), whole, strict=False))

        def end(batch: int, logs: Any = None) -> None:
            losses.append(logs["loss"])  # the mean of the steps so far

        callbacks = [self._with_hooks(None, end)]
        options = {"batch_size": size, "verbose": 0, "shuffle": False, "callbacks": callbacks}
        self.keras.Model.fit(self.model, **names, **options)
        return losses

    def settle(self) -> None:
        """Bring the model back to a usable state after a loop was left, or has failed."""

    def work(self) -> dict[str, int]:
        """Return numbers of parameters of the live model.

        Only Keras counts the averages of batch normalization among the weights, and only PyTorch
        has two biases in recurrent layers. Both are counted on their own.
        """
        weights, trained = self.model.weights, self.model.trainable_weights
        ids = {id(v) for v in trained}
        averages = [v for v in weights if _name(v) in AVERAGES and id(v) not in ids]
        return {
            "parameters": sum(map(parameters, weights)) - sum(map(parameters, averages)),
            "trainable_parameters": sum(map(parameters, trained)),
            "moving_averages": sum(map(parameters, averages)),
            "second_biases": sum(map(_recurrent_biases, self.model._flatten_layers())),
        }

    def norms(self, number: int | None = None) -> list[float]:
        import numpy as np

        weights = sorted(
            self.model.trainable_weights, key=lambda v: (len(v.shape) < 2, parameters(v))
        )[:number]
        return [float(np.abs(v.numpy()).sum(dtype="float64")) for v in weights]

    def _call(self, data: Any, callback: Any) -> None:
        # The base class's methods: KerasHub's tasks would refuse ready-made batches.
        method = getattr(self.keras.Model, self.cell.task)
        options = {"shuffle": False} if self.cell.task == "fit" else {}
        method(self.model, data, verbose=0, callbacks=[callback], **options)

    def _clock(self, timer: Clock) -> Any:
        batches, due = self.batches_per_tick, 0

        def begin(batch: int, logs: Any = None) -> None:
            nonlocal due
            if batch != due:
                raise conformance.WrongModel(
                    f"Keras began batch {batch} where {due} was due: "
                    f"steps_per_execution is not {batches} all the time"
                )
            due = batch + batches
            if timer.tick():
                raise Finished

        return self._with_hooks(begin)

    def _with_hooks(self, begin: Hook | None, end: Hook | None = None) -> Any:
        """Return a callback with functions for the begin and the end of each batch, if any."""
        callback = self.keras.callbacks.Callback()
        if begin:
            callback.on_train_batch_begin = callback.on_predict_batch_begin = begin
        if end:
            callback.on_train_batch_end = callback.on_predict_batch_end = end
        return callback

    def empty_steps(self, timer: Clock) -> None:
        """Drive the clock alone, as Keras does at each call, until the timer has enough."""
        if self.own_loop:
            super().empty_steps(timer)
            return
        clock, batch, batches = self._clock(timer), 0, self.batches_per_tick
        with contextlib.suppress(Finished):
            while True:
                clock.on_train_batch_begin(batch)
                batch += batches


def _own_words(message: str) -> str:
    """Return the first line of a message; from a layer of Keras that of the layer's own error."""
    if in_a_layer := re.search(r"\x1b\[1m(.*?)\x1b", message, re.S):
        message = in_a_layer[1].rpartition("Error encountered:")[2]
    return next(iter(message.strip().splitlines()), "")


def _number(count: Any) -> int:
    try:
        return int(count)
    except TypeError:
        return int(count.numpy())


def _name(variable: Any) -> str:
    return str(variable.name).rpartition("/")[2].partition(":")[0]


def _recurrent_biases(layer: Any) -> int:
    bias = getattr(layer, "bias", None) if type(layer).__name__ in CELLS_WITH_A_BIAS else None
    return 0 if bias is None else parameters(bias)


def versioned(library: Any) -> str:
    """Return the name and version of an imported library, as 'keras-cv 0.9.0'."""
    return f"{library.__name__.replace('_', '-')} {library.__version__}"
