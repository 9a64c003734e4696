"""What a reader's hands do in a browser, and what leaves it meanwhile."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, WebSocket

from tests.browser.serving import settle


def lock_in(page: Page, box: Locator, value: str) -> None:
    """Type a guess, and lock it in."""
    box.fill(value)
    page.get_by_role("button", name="Lock in my guess").click()


def press(slider: Locator, arrow: str, times: int = 1) -> None:
    """Go to a slider and press a key so often."""
    slider.focus()
    for _ in range(times):
        slider.press(arrow)


def overhear(page: Page) -> Callable[[], bytes]:
    """Load a page again, and return a function that returns all that it has sent since then, by whatever way."""
    sent: list[str | bytes] = []

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: sent.append(frame))

    page.on("websocket", listen)
    page.on("request", lambda request: sent.extend([request.url, request.post_data_buffer or b""]))
    page.reload()
    settle(page)
    return lambda: b"".join(part.encode() if isinstance(part, str) else part for part in sent)
