"""Arrays by what is in them."""

import numpy as np
import numpy.typing as npt

Seconds = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]
Chosen = npt.NDArray[np.bool_]
