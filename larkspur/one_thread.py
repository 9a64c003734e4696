"""Holds OpenBLAS to one thread, if imported before NumPy: on a busy machine two make a small model far slower."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
