"""Progress is said on standard error, after a while and not before, with what is left where that is known."""

import time

import pytest

import divulge as dv
from divulge.cli import progress
from divulge.cli.progress import Progress


class Clock:
    """A time that goes on when told to."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def following(clock):
    return Progress("Counting", clock)


def done(following, clock, steps, of, seconds):
    """Do so many steps, each taking so many seconds, after those done before."""
    before = following._stage.done if following._stage.of == of else 0
    if not before:
        following.step(0, of)
    for step in range(before + 1, before + steps + 1):
        clock.now += seconds
        following.step(step, of)


def test_what_is_quick_says_nothing(capsys):
    with progress.progress("Counting"):
        pass
    assert capsys.readouterr() == ("", "")


def test_what_takes_long_is_said_on_standard_error(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with progress.progress("Counting"):
        time.sleep(0.2)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Counting ... 0 s")


def test_what_is_left_is_said_on_standard_error(capsys, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.1)
    with progress.progress("Reading") as stage:
        stage("Counting")
        stage.step(0, 1000)
        time.sleep(0.02)
        stage.step(1, 1000)
        time.sleep(0.3)
    assert capsys.readouterr().err.startswith("Counting ... 1 of 1000, 0 s")


def test_without_steps_the_line_has_the_time_alone(following, clock):
    clock.now += 7
    assert following.line == "Counting ... 7 s"


def test_equal_steps_take_as_long_as_those_before(following, clock):
    done(following, clock, 35, 130, seconds=0.4)
    assert following.line == "Counting ... 35 of 130, 14 s, about 40 s left"  # 95 steps of 0.4 s: 38 s


def test_nothing_is_estimated_before_a_step_is_done(following, clock):
    following.step(0, 5)
    clock.now += 30
    assert following.line == "Counting ... 0 of 5, 30 s"


def test_nothing_is_estimated_early_in_a_stage(following, clock):
    clock.now += 60
    following("Searching")
    done(following, clock, 1, 100, seconds=1.5)
    assert following.line == "Searching ... 1 of 100, 62 s"
    done(following, clock, 1, 100, seconds=1.5)
    assert following.line == "Searching ... 2 of 100, 63 s"
    done(following, clock, 2, 100, seconds=1.5)
    assert following.line == "Searching ... 4 of 100, 66 s, about 2 min left"


def test_nothing_is_estimated_after_a_few_of_many_steps(following, clock):
    done(following, clock, 3, 62, seconds=4)  # the first steps have the most work
    assert following.line == "Counting ... 3 of 62, 12 s"
    done(following, clock, 4, 62, seconds=0.2)
    assert following.line == "Counting ... 7 of 62, 13 s, about 10 s left"


def test_long_first_steps_are_forgotten(following, clock):
    done(following, clock, 2, 100, seconds=50)
    done(following, clock, 8, 100, seconds=1)
    assert following.line == "Counting ... 10 of 100, 108 s, about 90 s left"


def test_time_goes_by_within_a_step(following, clock):
    done(following, clock, 1, 3, seconds=10)
    assert following.line.endswith("about 20 s left")
    clock.now += 5
    assert following.line.endswith("about 15 s left")


def test_a_step_that_takes_longer_puts_the_end_off_and_much_longer_leaves_it_open(following, clock):
    done(following, clock, 4, 8, seconds=10)
    lines = []
    for _ in range(4):
        clock.now += 9
        lines.append(following._stage.left(clock.now))
    # By hand: the last two steps took 20 s; with 18 s of a third a step takes 38 / 3 s, and four are left.
    assert lines[:2] == pytest.approx([40 - 9, 4 * 38 / 3 - 18])
    assert lines[3] is None  # 36 s, where a step took ten


def test_what_is_left_is_never_negative(following, clock):
    done(following, clock, 9, 10, seconds=1)
    clock.now += 100
    assert following.line == "Counting ... 9 of 10, 109 s"


def test_steps_that_are_all_done_are_no_longer_shown(following, clock):
    done(following, clock, 10, 10, seconds=1)
    assert following.line == "Counting ... 10 s"


def test_the_next_stage_begins_anew(following, clock):
    done(following, clock, 10, 10, seconds=1)
    following("Searching")
    clock.now += 5
    assert following.line == "Searching ... 15 s"


def test_steps_go_on_under_another_name(following, clock):
    done(following, clock, 1, 3, seconds=10)
    following("Attacking b.csv")
    assert following.line == "Attacking b.csv ... 1 of 3, 10 s, about 20 s left"


def test_steps_may_begin_once_more(following, clock):
    done(following, clock, 3, 4, seconds=10)
    following.step(0, 4)
    assert following.line == "Counting ... 0 of 4, 30 s"


def test_one_step_is_no_progress(following, clock):
    following.step(0, 1)
    clock.now += 3
    assert following.line == "Counting ... 3 s"


def test_many_quick_steps_are_not_all_remembered(following, clock):
    done(following, clock, 10_000, 100_000, seconds=0.001)
    assert len(following._stage.marks) < 250
    assert following._stage.left(clock.now) == pytest.approx(90, rel=0.02)


# -- who tells it ----------------------------------------------------------------------------------


class Heard:
    """Stages with the steps that they were told of."""

    def __init__(self):
        self.stages = []

    def __call__(self, doing):
        self.stages.append((doing, []))

    def step(self, done, of):
        self.stages[-1][1].append((done, of))

    def of(self, doing):
        return [steps for name, steps in self.stages if name == doing]


TABLE = {
    "age": [20, 20, 30, 30, 40, 40],
    "zip": ["a", "b", "a", "b", "a", "b"],
    "disease": ["flu", "cold", "flu", "flu", "cold", "flu"],
}
ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": "disease"}


def test_an_audit_tells_how_many_keys_are_counted_and_changes_tried():
    heard = Heard()
    dv.audit(dv.read(TABLE, **ROLES), stage=heard)
    # For @record and for disease: age and zip together, age, zip.
    assert heard.of("Counting") == [[(n, 6) for n in range(7)]]
    assert heard.of("Trying changes that may help") == [[(n, 2) for n in range(3)]]


def test_an_audit_tells_how_many_subsets_are_asked_one_by_one():
    heard = Heard()
    weighted = {**TABLE, "w": [1, 2, 1, 2, 1, 2]}
    dv.audit(dv.read(weighted, **ROLES, weights="w"), stage=heard)
    assert heard.of("Searching combinations") == [[(n, 6) for n in range(7)]]


def test_a_search_by_compiled_loops_tells_its_parts():
    heard = Heard()
    dv.audit(dv.read(TABLE, **ROLES), stage=heard)
    [steps] = heard.of("Searching combinations")
    assert [done for done, _ in steps] == list(range(1, len(steps) + 1))
    assert steps[-1] == (len(steps), len(steps))


def test_a_measurement_tells_how_many_shuffles_are_done_and_keys_counted():
    heard = Heard()
    dv.measure(TABLE, keys=["age", "zip"], target="disease", permutations=3, stage=heard).to_dict()
    assert heard.of("Shuffling") == [[(n, 3) for n in range(4)]]
    assert heard.of("Counting key by key") == [[(n, 2) for n in range(3)]]


def test_a_comparison_tells_how_many_releases_are_done():
    heard = Heard()
    dv.compare(dv.read(TABLE, **ROLES), TABLE, TABLE, stage=heard)
    told = [step for _, steps in heard.stages for step in steps]
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_a_plain_function_is_told_names_only():
    stages = []
    dv.audit(dv.read(TABLE, **ROLES), stage=stages.append)
    assert stages[:4] == ["Reading", "Counting", "Checking", "Searching combinations"]
