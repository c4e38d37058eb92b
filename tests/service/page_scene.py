"""A service with soldiers in it, as the page meets it: a real decider behind its doors, on this machine."""

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count

import numpy as np
import uvicorn

import divulge as dv
from divulge.safe_release import Rules
from divulge.service.decisions.decisions import DecisionService, RecordRequest
from divulge.service.decisions.loading import Dataset
from divulge.service.http.app import create_app
from divulge.service.operations.locations import ServiceLocations
from safe_release.military import LOCATIONS, counts, rows

MARKS = ("soldier-", "aged ", "camp ")  # one of them is in every value of a record
REFUSED = "Failed to load resource"  # what a browser says of every answer that is a refusal


@dataclass
class Scene:
    """A decider, where its doors are, and who asks at them."""

    decider: DecisionService
    url: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    numbers: Iterator[int] = field(default_factory=count)

    def load(self, name, tests, alpha=0.2, data=None):
        rules = Rules.of(tests, alpha, samples=1000)
        given = Dataset(name, data or soldiers(), "Name", ("Age",), ("Location",), {}, rules)
        self.decider.load(given, "holder", following=False)

    def key(self, role, person=None):
        """A key of somebody who had none before, unless a person is given."""
        person = person or f"{role} number {next(self.numbers)}"
        return self.decider.make_key(role=role, name=role, by="holder", person=person)[0]

    def ask_for(self, name, soldiers):
        """Request so many soldiers who were not asked for before; says how many requests wait."""
        asked = range(self.asked[name], self.asked[name] + soldiers)
        self.asked[name] += soldiers
        self.decider.batch(
            name, [RecordRequest(f"soldier-{n:05}", f"{name}-{n}") for n in asked], "requester"
        )
        return self.decider.status(name)["waiting"]

    def revoke(self, key):
        self.decider.revoke_key(key.split(".")[0], by="holder")

    def rewrite(self, sql, *parameters):
        """Change the database behind the service's back."""
        self.decider.database.transact("nobody", lambda c: c.rows(sql, parameters))


@cache
def soldiers():
    """Soldiers in no order, with names and values that would be found wherever they were shown."""
    ages = [f"aged {row['Age']}" for row in rows("tables/military_fig2.csv")]
    cells = [
        (ages[x], f"camp {LOCATIONS[y]}")
        for (x, y), number in np.ndenumerate(counts("tables/military_fig2.csv"))
        for _ in range(number)
    ]
    shuffled = [cells[place] for place in np.random.default_rng(5).permutation(len(cells))[:1000]]
    return dv.read(
        {
            "Name": [f"soldier-{n:05}" for n in range(len(shuffled))],
            "Age": [age for age, _ in shuffled],
            "Location": [camp for _, camp in shuffled],
        }
    )


def people(camp):
    """A few others, half of them in a camp of any name."""
    names = [f"soldier-{n:05}" for n in range(60)]
    return dv.read({"Name": names, "Age": ["young", "old", "old"] * 20, "Location": [camp, "camp B"] * 30})


@contextmanager
def served(folder):
    """A service that answers for as long as it is needed."""
    scene = Scene(ServiceLocations.of(str(folder / "service.db")).create())
    server = uvicorn.Server(uvicorn.Config(create_app(scene.decider), log_level="critical", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as door:
        scene.url = f"http://127.0.0.1:{door.getsockname()[1]}/"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        try:
            yield scene
        finally:
            server.should_exit = True
            thread.join()
            scene.decider.database.close()


@contextmanager
def visited(browser, scene, key=None, dataset=None, *, refusals=0, **options):
    """The page in a profile of its own, entered with a key; it asks nobody else and complains of nothing.

    Its clock stands still until it is moved, so that the page looks again when a test wants it to.
    """
    context = browser.new_context(**options)
    requests, complaints = [], []
    context.on("request", lambda request: requests.append(request.url))
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    page = context.new_page()
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => console.error('violates ' + e.violatedDirective))"
    )
    page.clock.install()
    page.goto(scene.url)
    if dataset is not None:  # as if it had been chosen before
        page.evaluate("dataset => sessionStorage.setItem('dataset', dataset)", dataset)
    try:
        if key is not None:
            enter(page, key)
        if dataset is not None:
            page.get_by_role("heading", level=1, name=dataset, exact=True).wait_for()
            settled(page)
        yield page
        assert all(url.startswith((scene.url, "data:")) for url in requests)
        assert [said for said in complaints if not said.startswith(REFUSED)] == []
        assert len(complaints) == refusals
    finally:
        context.close()


def enter(page, key):
    page.get_by_label("Key of an auditor or a steward").fill(key)
    page.keyboard.press("Enter")


def choose(page, dataset):
    page.get_by_label("Dataset").wait_for()
    settled(page)
    page.get_by_label("Dataset").select_option(dataset)
    settled(page)


def look_again(page):
    """Let the page look at the service once more, as it does every few seconds."""
    page.clock.fast_forward(5000)
    settled(page)


def settled(page):
    page.locator("main[aria-busy=false]").wait_for()
