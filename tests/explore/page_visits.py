"""A tab with the local page, and a page that is served by the process of the tests."""

import socket
import threading
from contextlib import contextmanager

import uvicorn

from divulge.explore.http.app import Presence, create_app

TOKEN = "a-token-of-the-tests-that-is-long-enough"


class Visit:
    """A tab with the page, and everything that it asked for."""

    def __init__(self, browser, url, **options):
        self.context = browser.new_context(**options)
        self.requests, self.complaints = [], []
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.context.on("console", lambda message: self.complaints.append(message.text))
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))
        self.page = self.context.new_page()
        self.page.goto(url)
        self.page.wait_for_selector("#sentence")

    def turn(self):
        return self.page.evaluate("Number(document.documentElement.dataset.turn)")

    def after(self, act):
        """What is done, until the page has shown what came of it."""
        before = self.turn()
        act()
        later = "turn => Number(document.documentElement.dataset.turn) > turn"
        self.page.wait_for_function(later, arg=before)

    def set_level(self, attribute, level):
        self.after(
            lambda: self.page.evaluate(
                """([name, level]) => {
                  const slider = document.querySelector(`[name="level-${name}"]`);
                  slider.focus();
                  slider.value = level;
                  slider.dispatchEvent(new Event("input"));
                }""",
                [attribute, level],
            )
        )

    def figure(self, name):
        return self.page.inner_text(f"#figure-{name}")

    def open_everything(self):
        """Open everything that can be opened."""
        self.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")

    def tab_to(self, wanted, most=150):
        """Press the tabulator until an element of that name or identity has the focus."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            here = "document.activeElement.getAttribute('name') || document.activeElement.id"
            if self.page.evaluate(here) == wanted:
                return
        raise AssertionError(f"the keyboard does not get to {wanted}")


@contextmanager
def visiting(browser, url, **options):
    """A visit that asks nothing of anybody else, and of which the browser does not complain."""
    found = Visit(browser, url, **options)
    yield found
    assert found.complaints == [], found.complaints
    sent = [one for one in found.requests if not one.startswith(("blob:", "data:"))]
    assert {one.split("/")[2] for one in sent} == {url.split("/")[2]}
    found.context.close()


@contextmanager
def serving(explorer, port=0, token=TOKEN):
    """The address of a page on an explorer of this process."""
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        listening.listen()
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        app = create_app(explorer, token=token, hosts=[host], presence=Presence())
        server = uvicorn.Server(
            uvicorn.Config(app, ws="none", lifespan="off", log_level="warning", timeout_graceful_shutdown=1)
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://{host}/#{token}"
        finally:
            server.should_exit = True
            thread.join()
