"""A head and its body are sent together, and nothing is kept back."""

import asyncio

from divulge.service.http.joined_writes import JoinedWrites

HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


class Sent:
    """A transport that notes what it is asked to do."""

    def __init__(self):
        self.done, self.number = [], 7

    def write(self, data):
        self.done.append(data)

    def close(self):
        self.done.append("close")

    def write_eof(self):
        self.done.append("eof")

    def abort(self):
        self.done.append("abort")


def run(*acts):
    """What a transport is asked after some acts, and a turn of the event loop later."""

    async def go():
        sent = Sent()
        joined = JoinedWrites(sent, asyncio.get_running_loop())
        for act in acts:
            act(joined)
        now = [*sent.done]
        await asyncio.sleep(0)
        assert joined.number == 7
        return now, sent.done

    return asyncio.run(go())


def write(data):
    return lambda transport: transport.write(data)


def test_head_and_body_are_one_write():
    assert run(write(HEAD), write(b"body"), write(b""), write(b"more")) == (
        [HEAD + b"body", b"", b"more"],
        [HEAD + b"body", b"", b"more"],
    )


def test_a_head_alone_is_sent_in_the_same_turn():
    assert run(write(HEAD)) == ([], [HEAD])
    assert run(write(HEAD), write(b"")) == ([HEAD], [HEAD])


def test_what_is_kept_is_sent_before_the_connection_ends():
    assert run(write(HEAD), lambda it: it.close())[1] == [HEAD, "close"]
    assert run(write(HEAD), lambda it: it.write_eof())[1] == [HEAD, "eof"]


def test_a_connection_that_is_given_up_sends_nothing_more():
    assert run(write(HEAD), lambda it: it.abort())[1] == ["abort"]
    assert run(write(b"body"), lambda it: it.abort())[1] == [b"body", "abort"]


def test_two_answers_after_each_other_stay_in_order():
    assert run(write(HEAD), write(b"a"), write(HEAD), write(b"b"))[1] == [HEAD + b"a", HEAD + b"b"]
    assert run(write(HEAD), write(HEAD), write(b"b"))[1] == [HEAD + HEAD, b"b"]
