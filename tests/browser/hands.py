"""What a reader's hands do in a browser, and what leaves it meanwhile."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, WebSocket

from tests.browser.serving import settle

# Whether the same charts have stood in the same place for half a second: one is drawn anew once its room is known.
CHARTS_STAND = """() => {
    const charts = [...document.querySelectorAll('[data-testid=stVegaLiteChart]')];
    const drawn = charts.map(chart => chart.querySelector('svg, canvas'));
    const places = drawn.map(one => JSON.stringify(one?.getBoundingClientRect())).join();
    const before = globalThis["test:charts"];
    const isSame = before?.places === places && drawn.every((one, nth) => one && one === before.drawn[nth]);
    if (!isSame) globalThis["test:charts"] = { drawn, places, at_ms: performance.now() };
    return drawn.length > 0 && isSame && performance.now() > before.at_ms + 500;
}"""


def lock_in(page: Page, box: Locator, value: str) -> None:
    """Type a guess, and lock it in."""
    box.fill(value)
    page.get_by_role("button", name="Lock in my guess").click()


def until_charts_stand(page: Page) -> None:
    """Wait until no chart is drawn anew or moved: what a hand did to it before would be lost."""
    page.wait_for_function(CHARTS_STAND, polling=50)


def slide(slider: Locator, value: float) -> None:
    """Move a slider that a chart brings along."""
    slider.wait_for()
    until_charts_stand(slider.page)
    slider.fill(f"{value:g}")


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
