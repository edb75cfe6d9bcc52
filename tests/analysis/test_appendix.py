"""The details of every cell: where a number comes from, and the caveats that touch it."""

from functools import partial

from drawn_pages import appendix_of, pages_of
from record_changes import takes


def test_every_number_leads_to_its_cell(project, figures):
    project.fail("oom", "killed", column="pytorch-eager", task="fit")
    project.change(lambda r: r["warnings"].append("slow compile"), column="keras3-jax")
    project.change(lambda r: r.update(energy={"joules_per_step": 2.5, "counter": "rapl"}))
    report, text = pages_of(project, figures)
    for page in (report, text):  # here the table, there that beside the published one
        assert page.count('<a class="number" href="appendix.html#cell-') == 2 * 6
    details = text.partition('id="cell-bert-fit-b8-keras3.2d.jax"')[2].partition("</details>")[0]
    for expected in ("Parity card", "slow compile", "<dd>rapl</dd>", "#environment-"):
        assert expected in details
    assert "results/records/laptop/bert/fit-b8/keras3-jax/run3.json" in details
    row = text.partition('id="row-bert-fit-b8"')[2].partition("<details")[0]
    assert row.count("<td>2.5</td>") == 5  # J/step of all that have a time
    failed = text.partition('id="cell-bert-fit-b8-pytorch.2d.eager"')[0].rpartition("<summary>")[2]
    assert "oom: MemoryError: killed" in failed


def test_a_cell_whose_first_run_failed_says_what_it_lacks_by_that(project, figures):
    project.fail("timeout", column="keras3-jax", task="fit", run=1)
    text = appendix_of(project, figures)
    assert text.count("NA: published arithmetic and other batch sizes, timeout") == 1


def test_a_step_with_a_fence_and_what_the_fence_adds_agree(project, figures):
    """Both are geometric means over runs, and means in each: of very unlike runs, or steps, another
    one would contradict the other.
    """
    for run, step_ms, fenced_ms in ((1, 90.0, 99.0), (2, 45.0, 49.5), (3, 40.0, 44.0)):
        project.change(partial(takes, step_ms=step_ms), "keras3-jax", "fit", run)
        fenced = {"synchronised_ns": [round(fenced_ms * 0.9e6)] * 9 + [round(fenced_ms * 1.9e6)]}
        project.change(lambda r, f=fenced: r["timing"].update(f), "keras3-jax", "fit", run)
    mean_ms = (99.0 * 49.5 * 44.0) ** (1 / 3)
    assert f">{mean_ms:.2f} ms, +10" in appendix_of(project, figures)


def test_details_say_what_the_machine_did(project, figures):
    span = {"min": 2000.0, "median": 2500.0, "max": 3000.0}
    gpu = dict.fromkeys(("sm_clock_mhz", "memory_clock_mhz", "power_w"), span)
    gpu |= {"temperature_c": {**span, "min": 3000.0}, "utilization_percent": span}
    gpu |= {"throttle_reasons": ["power cap"], "foreign_processes": 1}
    seen = {"interval_s": 0.5, "samples": 4, "load_max": 1.5, "frequency_mhz": span}
    seen |= {"throttled": 0, "swapped_mib": None, "gpu": gpu}
    project.change(lambda r: r.update(monitor=seen), column="keras3-jax", task="fit")
    project.change(lambda r: r.update(monitor=None), column="keras3-torch")
    project.change(lambda r: r.update(restarted=2), column="keras3-jax")
    project.change(lambda r: r.update(withheld=["energy: <-1> is less than 0"]), "keras3-jax")
    failed = {"steps": 0, "elapsed_ns": 0, "failed": {"type": "ValueError", "message": "no\n<2>"}}
    project.change(lambda r: r["probes"][0].update(failed), column="keras3-jax")
    text = appendix_of(project, figures)
    assert "12 samples; processors 2,000 to 3,000 MHz; load at most 1.50; 0 throttling" in text
    assert "temperature 3,000 \u00b0C" in text and "slowed by power cap; 1 foreign process" in text
    assert "no sample of the monitor fell into the timed steps" in text
    assert "Could not be recorded" in text and "energy: &lt;-1&gt; is less than 0" in text
    assert "2 compilations fell into the timed window" in text
    assert "Not timed at other sizes or lengths" in text and "ValueError: no</dd>" in text


def test_a_cell_lists_the_caveats_that_touch_it(project, figures):
    project.change(lambda r: r["load"].update(foreign_cpu_share=0.1), "keras3-jax", "fit")
    text = appendix_of(project, figures)

    def caveats(cell):
        inside = text.partition(f'id="cell-bert-{cell}"')[2].partition("</details>")[0]
        return inside.partition('<ul class="touching">')[2].partition("</ul>")[0]

    assert "This machine was not quiet" in caveats("fit-b8-keras3.2d.jax")
    assert "not quiet" not in caveats("predict-b16-keras3.2d.jax")
    assert "Other machines and sizes" in caveats("predict-b16-keras3.2d.jax")


def test_rows_say_what_they_measure_and_where_a_run_read_back_something_else(project, figures):
    words = {
        "short": "64 tokens, all weights",
        "optimizer": "adamw: rate 1",
        "precision": "float32",
    }
    project.plan["rows"][0]["measures"] = words
    report, text = pages_of(project, figures)
    assert report.count('BERT fit <span class="measures">64 tokens, all weights</span>') == 1
    section = text.partition('<section id="measured"')[2].partition("</section>")[0]
    assert "adamw: rate 1" in section and "adamw, float32" in section
    assert "differs" not in section
    project.change(lambda r: r["parity"].update(optimizer="sgd"), "keras3-jax", "fit")
    section = appendix_of(project, figures).partition('<section id="measured"')[2]
    assert section.partition("</section>")[0].count("differs") == 1
