"""Finds how PyTorch updates parameters by one update of two small ones, not from options: their
defaults depend on the device, on the release and on the class of the optimizer.
"""

import traceback
from collections.abc import Callable
from typing import Any

from millistep.measure.conformance import WrongSetting
from millistep.measure.frameworks.products import dispatched

# Beginnings of the operations' names, in the order in which they decide.
KINDS = {"aten::_fused_": "fused", "aten::_foreach_": "foreach"}


def seen(torch: Any, update: Callable[[], object]) -> str:
    """Return the kind of update: ``fused`` (one kernel for all parameters), ``foreach`` (each
    operation on all of them) or ``for-loop`` (one parameter after the other).

    update: updates parameters once, not those of the model that is timed.
    """
    names = set()
    with dispatched(torch, lambda operation, *_: names.add(operation.name())):
        update()
    kinds = (kind for start, kind in KINDS.items() if any(name.startswith(start) for name in names))
    return next(kinds, "for-loop")


def known(find: Callable[[], str]) -> str:
    """Return how an optimizer updates; 'unknown' for one that cannot be made a second time."""
    try:
        return find()
    except Exception:
        traceback.print_exc()
        return "unknown"


def of_torch(torch: Any, optimizer: Any, device: str) -> str:
    """Return the kind of update of a ``torch.optim`` optimizer, by a new one with its options."""
    shape = (8,) * optimizer.param_groups[0]["params"][0].ndim  # Muon takes matrices alone
    parameters = [torch.nn.Parameter(torch.zeros(shape, device=device)) for _ in range(2)]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    options = optimizer.param_groups[0]
    # The constructor sets up what a requested implementation needs.
    chosen = {name: True for name in ("foreach", "fused") if options.get(name)}
    return seen(torch, type(optimizer)([{**options, "params": parameters}], **chosen).step)


def of_keras(torch: Any, keras: Any, optimizer: Any) -> str:
    """Return the kind of update of a Keras optimizer on PyTorch, by a new one as configured."""
    variables = [keras.Variable(keras.ops.zeros(8)) for _ in range(2)]
    other = type(optimizer).from_config(optimizer.get_config())
    other.build(variables)
    return seen(torch, lambda: other.apply([keras.ops.ones(8) for _ in variables], variables))


def with_implementation(optimizer: Any, name: str) -> Any:
    """Return a new optimizer of ``torch.optim`` that is ``foreach`` or ``fused``."""
    if any(getattr(optimizer, f"_optimizer_step_{when}_hooks", ()) for when in ("pre", "post")):
        raise WrongSetting(
            f"optimizer {name}: the model's optimizer has hooks, which it would lose; use default"
        )
    groups = [
        {key: value for key, value in group.items() if key not in ("foreach", "fused")}
        for group in optimizer.param_groups
    ]
    try:
        return type(optimizer)(groups, **{name: True})
    except TypeError as error:
        raise WrongSetting(f"optimizer {name} was requested: {error}") from error
