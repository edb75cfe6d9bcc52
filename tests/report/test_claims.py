"""Published claims: yes, no or open, by the intervals of a run."""

import pytest
import yaml

from millistep.analysis import claims, published
from millistep.analysis.frames import WORKLOAD
from tests.report.made import as_published, made

SAM, BERT = ("sam", "predict", 4), ("bert", "fit", 32)


@pytest.fixture(scope="module")
def judged():
    return claims.table(as_published()).set_index("claim")


def judge(name, times, **plan):
    return claims.table(made(times, scale="paper", **plan)).set_index("claim").loc[name]


def test_sixteen_claims_are_judged_at_paper_scale_only(judged):
    assert len(judged) == 16
    assert claims.table(made({BERT: {"keras3-jax": 8.0}})).empty
    assert claims.sentences(claims.table(made({BERT: {"keras3-jax": 8.0}}))) == []


def test_the_published_numbers_bear_out_what_their_table_shows(judged):
    expected = {"no_backend_fastest_everywhere", "keras3_faster_than_keras2", "sam_predict_380"}
    expected |= {"stable_diffusion_fit_150", "bert_fit_100"}
    assert expected <= {*judged.index[judged["verdict"] == "yes"]}
    assert judged.loc["upgrade_alone", "verdict"] == "open"  # BERT predict gains 0.9 %
    line = judged.loc["sam_predict_380"]
    assert line["low"] < line["gain"] < line["high"] and line["gain"] == pytest.approx(3.94, 1e-2)
    assert line["published_gain"] == pytest.approx(3.8277, 1e-3)


def test_a_gain_is_judged_by_the_ends_of_its_interval():
    for keras2, verdict in ((60.0, "yes"), (16.0, "no"), (48.0, "open"), (None, "not tested")):
        times = {SAM: {"keras2-tensorflow": keras2, "keras3-jax": 10.0}}
        assert judge("sam_predict_380", times)["verdict"] == verdict


def test_one_backend_that_wins_everywhere_refutes_that_there_is_none():
    everywhere = (
        published.published()[WORKLOAD].drop_duplicates().itertuples(index=False, name=None)
    )
    jax_wins = {"keras3-jax": 8.0, "keras3-torch": 20.0}
    assert (
        judge("no_backend_fastest_everywhere", dict.fromkeys(everywhere, jax_wins))["verdict"]
        == "no"
    )
    times = {key: dict(jax_wins) for key in (SAM, BERT)}
    assert judge("no_backend_fastest_everywhere", times)["verdict"] == "open"  # two of twelve
    assert judge("jax_first_in_seven", times)["verdict"] == "open"
    times[BERT] = {"keras3-jax": 20.0, "keras3-torch": 8.0}
    assert judge("no_backend_fastest_everywhere", times)["verdict"] == "yes"


def test_a_claim_about_every_workload_is_open_until_all_are_measured():
    times = {BERT: {"keras2-tensorflow": 60.0, "keras3-tensorflow": 10.0}}
    assert judge("upgrade_alone", times)["verdict"] == "open"
    assert judge("bert_fit_100", times)["verdict"] == "yes"
    times[BERT]["keras3-tensorflow"] = 120.0  # one workload refutes it
    assert judge("upgrade_alone", times)["verdict"] == "no"


def test_a_workload_whose_fastest_cell_is_excluded_has_no_gain():
    def change(record):
        if record["cell"]["column"] == "keras3-jax":
            record["load"]["foreign_cpu_share"] = 0.5

    times = {BERT: {"keras2-tensorflow": 60.0, "keras3-jax": 10.0, "keras3-tensorflow": 20.0}}
    assert judge("bert_fit_100", times)["verdict"] == "yes"
    assert judge("bert_fit_100", times, change=change)["verdict"] == "not tested"


def test_gains_that_exceed_a_cap_refute_a_claim():
    times = {SAM: {"pytorch-eager": 100.0, "keras3-jax": 10.0}}
    assert judge("keras3_over_pytorch", times)["verdict"] == "no"


def test_sentences_count_verdicts_and_name_the_refuted(judged):
    first, *rest = claims.sentences(judged.reset_index())
    assert first.startswith("Of 16 published claims, 5 hold in this run, 0 do not")
    assert rest == []
    single = judged.reset_index().head(4).assign(verdict=["yes", "no", "open", "not tested"])
    assert claims.sentences(single)[0] == (
        "Of 4 published claims, 1 holds in this run, 1 does not, 1 is open and 1 was not tested."
    )
    times = {SAM: {"keras2-tensorflow": 16.0, "keras3-jax": 10.0}}
    found = claims.sentences(claims.table(made(times, scale="paper")))
    assert "Not borne out: SegmentAnything predict: +380 % over Keras 2." in found


def test_every_claim_has_a_source_and_a_test():
    content = yaml.safe_load((published.REFERENCE / "claims.yaml").read_text())
    for claim in content["claims"].values():
        assert claim["source"] in content["sources"]
        assert claim.get("test", "gain") in claims.TESTS


def test_the_published_table_stands_next_to_ours_at_paper_scale_only():
    found = published.table(as_published())
    assert len(found) == 72 and set(found["revision"]) == {"current", "2024-04"}
    known = found.dropna(subset="published_ms")
    assert (known["ms"] / known["published_ms"]).between(0.99, 1.01).all()
    assert published.table(made({BERT: {"keras3-jax": 8.0}})).empty
