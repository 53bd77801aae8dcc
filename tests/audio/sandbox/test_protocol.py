"""Messages between a process and its sandboxed child."""

import socket
from typing import Any

from audio.sandbox.protocol import Channel


class Hasty(socket.socket):
    """An end whose other side takes a message, and leaves, the moment that all of it is there."""

    other: socket.socket

    def sendall(self, data: Any, *flags: int) -> None:
        super().sendall(data, *flags)
        if b"last" in data:
            self.taken = Channel(self.other).receive(most_bytes=1000)
            self.other.close()


def test_a_message_that_ends_in_nothing_is_sent_though_the_other_side_has_left_with_it() -> None:
    one, other = socket.socketpair()
    with Hasty(fileno=one.detach()) as end, other:
        end.other = other
        Channel(end).send({"work": "last"}, blobs={"index": b"", "frames": b""})
        assert end.taken.head == {"work": "last"}
        assert end.taken.blobs == {"index": b"", "frames": b""}
