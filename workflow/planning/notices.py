"""Notices: what a user should know before anything is measured, a line each."""

from __future__ import annotations

from collections.abc import Iterator


def notices(plan) -> Iterator[str]:
    """Columns that this machine cannot measure, and settings without effect."""
    columns_by_reason: dict[str, list[str]] = {}
    for column, reason in plan.barred.items():
        columns_by_reason.setdefault(reason, []).append(column.name)
    for reason, names in columns_by_reason.items():
        yield f"{reason}: not measured are {', '.join(names)}"
    fitted = {row.model for row in plan.rows if row.task == "fit"}
    if plan.config["training"] and not any(plan.models.load(name).data for name in fitted):
        yield "training: without effect, no model of a fit row names data in its model.yaml"
    device = plan.config["device"]
    if device != "auto" and plan.here and "cuda" not in plan.accelerators:
        yield f"device: {device} is without effect, nothing is measured on a GPU"
