"""Parts that pages share. NumPy is held to one thread here, before any of them loads it."""

import larkspur.one_thread  # noqa: F401
