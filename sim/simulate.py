"""Simulate a server: requests in, what happened to each out."""

from threading import Event as Flag

from sim import expect
from sim.run import Run
from sim.serve import serve
from sim.server import Server
from sim.settings import Settings
from sim.targets import Targets
from sim.trace import Trace


def simulate(
    trace: Trace,
    server: Server,
    settings: Settings,
    targets: Targets | None = None,
    *,
    cancel: Flag | None = None,
) -> Run:
    """Return what happens to every request of `trace` on `server` under `settings`.

    Raises ValueError when `settings` guess and the server has no draft, and `CancelledError` soon after
    `cancel` is set.
    """
    expect.instance("trace", trace, Trace)
    expect.instance("server", server, Server)
    expect.instance("settings", settings, Settings)
    if targets is not None:
        expect.instance("targets", targets, Targets)
    expect.flag("cancel", cancel)
    return Run(trace, server, settings, serve(trace, server, settings, cancel=cancel), targets)
