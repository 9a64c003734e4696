"""A visitor without a browser: speaks to the app as Streamlit's own page does, over its websocket.

Messages are Streamlit's (`BackMsg` up, `ForwardMsg` down, both protobuf). A visitor opens a page by its link, moves
its controls, keeps what the server may refer to again, and carries the address along that the page has written.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Self
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.BidiComponent_pb2 import BidiComponent
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

REPLY_LIMIT_S = 180
MOST_MESSAGE_BYTES = 50_000_000
WRITERS = ("copy_link", "page_address")  # what writes the page's address
FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)


@dataclass
class Visitor:
    """One person with one open page."""

    socket: ClientConnection
    address: str = ""
    query: dict[str, str] = field(default_factory=dict)
    script: str = ""
    shown: dict[tuple[int, ...], Element] = field(default_factory=dict)  # by place on the page
    part_of: dict[tuple[int, ...], str] = field(default_factory=dict)  # the fragment that drew it, if any
    moved: dict[str, WidgetState] = field(default_factory=dict)
    kept: dict[str, ForwardMsg] = field(default_factory=dict)  # large messages, which may be referred to

    async def open(self, address: str, **query: str) -> Self:
        """Open a page by its link, and return once it stands."""
        self.address, self.query, self.script = address, query, ""
        self.moved.clear()
        await self.run()
        return self

    async def move(self, widget: str, value: WidgetState) -> None:
        """Set a control to `value`, and return once the page stands again."""
        value.id = widget
        self.moved[widget] = value
        await self.run(self.part_with(widget))
        if value.HasField("trigger_value"):
            del self.moved[widget]

    async def run(self, part: str = "") -> None:
        """Ask for a run, of one part alone if named, and take in all of its reply; RuntimeError if it is an error."""
        asked = BackMsg()
        state = asked.rerun_script
        state.fragment_id = part
        state.query_string = urlencode(self.query)
        state.page_script_hash = self.script
        state.page_name = "" if self.script else self.address
        state.widget_states.widgets.extend(self.moved.values())
        state.cached_message_hashes.extend(self.kept)
        await self.socket.send(asked.SerializeToString())
        async with asyncio.timeout(REPLY_LIMIT_S):
            await self.listen()

    async def listen(self) -> None:
        """Take in messages until the run has finished."""
        seen: dict[tuple[int, ...], Element] = {}
        while True:
            message = ForwardMsg.FromString(bytes(await self.socket.recv(decode=False)))
            kind = message.WhichOneof("type")
            if kind == "new_session":
                seen = self.staying(set(message.metadata.run.fragment_ids))
            elif kind == "navigation":
                self.script = message.navigation.page_script_hash
            elif kind == "page_not_found":
                raise RuntimeError(f"expected a page at {self.address!r}, got none")
            elif kind in ("delta", "ref_hash"):
                self.take(message, seen)
            elif kind == "script_finished" and message.script_finished in FINISHED:
                break
        self.shown = seen
        self.query = self.written() or self.query

    def staying(self, parts: set[str]) -> dict[tuple[int, ...], Element]:
        """Return what a run of these parts alone leaves as it is: nothing, where it is one of the whole page."""
        kept = self.shown.items() if parts else ()
        return {place: element for place, element in kept if self.part_of[place] not in parts}

    def part_with(self, widget: str) -> str:
        """Return the part of the page in which a control stands, or nothing."""
        of_it = (place for place, part in self.shown.items() if id_of(part) == widget)
        return self.part_of[next(of_it)]

    def take(self, message: ForwardMsg, seen: dict[tuple[int, ...], Element]) -> None:
        """Put an element where it belongs on the page."""
        whole = self.kept[message.ref_hash] if message.ref_hash else message
        if whole.metadata.cacheable:
            self.kept[whole.hash] = whole
        element = whole.delta.new_element
        if element.WhichOneof("type") == "exception":
            raise RuntimeError(f"the page at {self.address!r} shows an error: {element.exception.message}")
        place = tuple(message.metadata.delta_path)
        seen[place], self.part_of[place] = element, whole.delta.fragment_id

    def written(self) -> dict[str, str]:
        """Return what the page has written into the address, as the few lines in the browser would."""
        told = [
            json.loads(part.json)
            for part in self.components()
            if part.component_name in WRITERS and part.json
        ]
        newest = max(told, key=lambda one: int(one["number"]), default=None)
        return {name: str(value) for name, value in newest["params"].items()} if newest else {}

    def components(self) -> Iterator[BidiComponent]:
        """Give the page's own components."""
        return (part.bidi_component for part in self.shown.values() if part.HasField("bidi_component"))

    def words(self) -> str:
        """Return all that the page says, line by line: its Markdown, its warnings, and what its charts show."""
        return "\n".join(said for place in sorted(self.shown) if (said := words_of(self.shown[place])))

    def controls(self) -> list[tuple[str, Element]]:
        """Return the page's controls that can be moved and name a setting, with their ids."""
        found = [(part, name) for part in self.shown.values() if (name := kind_of(part))]
        return [(getattr(part, name).id, part) for part, name in found]


def words_of(element: Element) -> str:
    """Return what an element says: Markdown, a warning, or the words in a chart's place."""
    return element.markdown.body or element.alert.body or element.vega_lite_chart.alt


def id_of(element: Element) -> str:
    """Return the id of a control, or nothing."""
    name = element.WhichOneof("type") or ""
    return str(getattr(getattr(element, name), "id", "")) if name else ""


def kind_of(element: Element) -> str:
    """Return the kind of a control that a person may move, or nothing."""
    name = element.WhichOneof("type") or ""
    is_control = name in ("slider", "button_group", "radio") and not getattr(element, name).disabled
    return name if is_control else ""


def another_value(element: Element, rng: Random) -> WidgetState:
    """Return some value that a control can take."""
    value = WidgetState()
    if element.HasField("slider") and element.slider.options:
        value.string_array_value.data.append(rng.choice(element.slider.options))
    elif element.HasField("slider"):
        slider = element.slider
        steps = round((slider.max - slider.min) / slider.step)
        value.double_array_value.data.append(slider.min + rng.randint(0, steps) * slider.step)
    elif element.HasField("button_group"):
        value.string_array_value.data.append(rng.choice(element.button_group.options).content)
    else:
        value.string_value = rng.choice(element.radio.options)
    return value


@asynccontextmanager
async def visiting(url: str) -> AsyncIterator[Visitor]:
    """Give a visitor of the app at `url`, who leaves at the end."""
    place = url.replace("http", "ws", 1) + "/_stcore/stream"
    protocols = [Subprotocol("streamlit")]
    async with connect(
        place, max_size=MOST_MESSAGE_BYTES, subprotocols=protocols, compression=None
    ) as socket:
        yield Visitor(socket)
