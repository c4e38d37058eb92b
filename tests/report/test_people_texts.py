"""Numbers in the texts on links and uniqueness: commas at thousands, no powers of ten."""

import divulge as dv
from divulge.report import linkage_text, uniqueness_text

TABLE = {"id": list(range(12)), "age": list(range(20, 32)), "sex": ["f", "m"] * 6}


def test_records_and_scores_of_a_uniqueness_account_are_plain_numbers():
    document = dv.uniqueness(TABLE, keys=["age", "sex"]).to_dict()
    special = {
        "records": 40,
        "largest": 3,
        "by_attribute": {},
        "unscored": 0,
        "undefined": None,
        "score_sum": 3088412.4,
        "score_max": 5042.0,
        "dis_max": 0.5,
    }
    lines = uniqueness_text.page({**document, "records": 30162, "special": special})
    assert lines[0].endswith(": 30,162 records")
    assert "  SUDA score: 3,088,412 in all, 5,042 at most" in lines


def test_what_is_estimated_of_the_population_is_said_with_its_ends():
    ages = [age for age in range(20, 80) for _ in range(1 + age % 5)]
    document = dv.uniqueness({"age": ages}, keys="age", fraction=0.1, models=["pitman_yor"]).to_dict()
    ends = {"value": None, "interval": [1, 1045], "method": "by hand"}
    below = [
        {**ends, "k": 2, "value": 1241.4, "interval": [90, 3680], "undefined": None},
        {**ends, "k": 3, "interval": [90, 90], "undefined": "no record is unique in the table"},
    ]
    shares = {**ends, "interval": [0.1076, 1.0]}
    estimated = {"k_map": ends, "delta_presence": shares, "people_below": below}
    lines = uniqueness_text.page({**document, "estimated": estimated})
    assert "  k-map: 1 to 1,045, estimated with 95% confidence" in lines
    assert "  delta-presence: 10.8% to 100%, estimated with 95% confidence" in lines
    assert [line.split() for line in lines if line.startswith("fewer than")] == [
        ["fewer", "than", "2,", "of", "12", "unique", "here", "1,241", "90", "to", "3,680"],
        ["fewer", "than", "3", "not", "known", "90"],
    ]
    assert "The model gives no number: no record is unique in the table." in lines


def test_records_and_links_are_written_alike():
    document = dv.link(TABLE, TABLE, by="id").to_dict()
    document["records"] = {"original": 30162, "released": 28774}
    document["distance"] |= {"linked": 18109.0, "of": 30162}
    lines = linkage_text.page(document)
    assert ": 28,774 records, linked with 30,162 of " in lines[0]
    assert any(": 18,109 of 30,162," in line for line in lines)
