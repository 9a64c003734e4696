"""Finding the lowest point of a function without its slopes: the simplex of Nelder and Mead (1965)."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Point = npt.NDArray[np.float64]
Height = Callable[[Point], float]


def lowest_point(height: Height, start: Point, *, step: float, evaluations: int) -> Point:
    """Return the lowest point [n] found from `start` [n] in about so many evaluations of `height`.

    The first simplex reaches `step` along each axis; it moves by reflection, and shrinks where that fails.
    """
    points = np.vstack((start, start + step * np.eye(len(start))))  # [n + 1, n]
    heights = np.array([height(point) for point in points])
    left = evaluations - len(points)
    while left > 0:
        order = np.argsort(heights, kind="stable")
        points, heights = points[order], heights[order]
        left -= _move(height, points, heights)
    return np.asarray(points[np.argmin(heights)])


def _move(height: Height, points: Point, heights: Point) -> int:
    """Replace the last and highest of sorted points, or draw all to the lowest; return the evaluations."""
    center = points[:-1].mean(axis=0)

    def beyond(factor: float) -> tuple[Point, float]:
        point = center + factor * (center - points[-1])
        return point, height(point)

    tried = beyond(1.0)
    if tried[1] < heights[0]:
        further = beyond(2.0)
        points[-1], heights[-1] = further if further[1] < tried[1] else tried
        return 2
    if tried[1] < heights[-2]:
        points[-1], heights[-1] = tried
        return 1
    nearer = beyond(0.5 if tried[1] < heights[-1] else -0.5)
    if nearer[1] < min(tried[1], heights[-1]):
        points[-1], heights[-1] = nearer
        return 2
    points[1:] = (points[1:] + points[0]) / 2
    heights[1:] = [height(point) for point in points[1:]]
    return 2 + len(points) - 1
