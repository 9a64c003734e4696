"""A server that is slow to speak, for a page that a reader is in a hurry to leave."""

import re
import time
from math import inf

from playwright.sync_api import Page, WebSocketRoute
from streamlit.proto.BackMsg_pb2 import BackMsg

LIMIT_S = 30


def slow_down(page: Page) -> None:
    """Give a page a slow processor."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 8})


class Slow:
    """A server's stream: what it hears from the page is noted, and what it says can be held back."""

    def __init__(self) -> None:
        self.sent: list[str | bytes] = []
        self.held: list[str | bytes] = []
        self.to_say = inf
        self.late: list[str | bytes] = []  # sent once more after the next word of the page

    def listen_to(self, page: Page, path: str) -> None:
        """Open another path of a page's server, and stand between the two."""
        page.route_web_socket(re.compile("_stcore/stream"), self.connect)
        page.goto(f"{page.url.partition('?')[0]}{path}")

    def connect(self, page: WebSocketRoute) -> None:
        server = page.connect_to_server()
        page.on_message(self.pass_on)
        server.on_message(self.hear)
        self.say, self.ask = page.send, server.send

    def pass_on(self, told: str | bytes) -> None:
        self.sent.append(told)
        for each in (told, *self.late):
            self.ask(each)
        self.late = []

    def until_told(self, page: Page, words: int) -> None:
        """Wait until the page has said so many words."""
        deadline = time.monotonic() + LIMIT_S
        while len(self.sent) < words and time.monotonic() < deadline:
            page.wait_for_timeout(50)
        assert len(self.sent) == words

    def told_controls(self, since: int) -> list[str]:
        """Return the controls whose values the page has told since so many words."""
        asked = [BackMsg.FromString(bytes(told)).rerun_script for told in self.sent[since:]]
        return [control.id for each in asked for control in each.widget_states.widgets]

    def hear(self, told: str | bytes) -> None:
        self.to_say -= 1
        if self.to_say >= 0:
            self.say(told)
        else:
            self.held.append(told)

    def hold_all_but(self, to_say: int) -> None:
        """Hold back what the server says, but for the first few words."""
        self.to_say = to_say

    def go_on(self) -> None:
        """Say what was held back."""
        self.to_say = inf
        for told in self.held:
            self.say(told)
        self.held = []
