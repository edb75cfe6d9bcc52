"""A clock that stops before the device has finished is noticed; here one is made on purpose."""


def test_a_missing_fence_on_an_asynchronous_backend_is_no_number(fresh):
    """The run itself notices it, whatever the machine's peak is.

    A block's work is longer than the system leaves a processor to one thread: less of it is done on
    a busy machine before the clock stops, and then nothing is late.
    """
    fresh.configure(models={"bert": {"predict": 256}}, columns=["keras3-jax"])
    fresh.edit(
        "workflow/millistep/measure/frameworks/keras3_jax.py",
        "self.jax.block_until_ready(arrays)",
        "pass",
    )
    fresh.measure()
    (record,) = fresh.found()
    assert record["status"] == "invalid"
    assert record["reason"].endswith("the clock stopped before the work did")
    (run,) = fresh.runs()
    assert (run["status"], run["reason"]) == ("invalid", record["reason"])
