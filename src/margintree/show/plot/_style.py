"""Axes and colours that all pictures share."""

from typing import TYPE_CHECKING

from margintree._lib.extras import imported

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#222222"
FAINT = "#8a8a8a"
PAPER = "white"

_PALETTE = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442")
"""The colours of Okabe and Ito, which people with any kind of colour vision can tell apart."""
_MARKERS = "os^DvPX*"


def axes_or_new(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes, or those of a new figure of this size in inches."""
    if ax is None:
        pyplot = imported("matplotlib.pyplot", extra="plot")
        _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax


def class_colours(n_classes: int) -> list[str]:
    """Return one colour per class.

    More classes than the palette has colours get a scale from dark to light.

    Examples
    --------
    >>> class_colours(2)
    ['#0072b2', '#e69f00']
    """
    if n_classes <= len(_PALETTE):
        return list(_PALETTE[:n_classes])
    scale = imported("matplotlib", extra="plot").colormaps["viridis"]
    to_hex = imported("matplotlib.colors", extra="plot").to_hex
    return [to_hex(scale(k / (n_classes - 1))) for k in range(n_classes)]


def class_marker(k: int) -> str:
    """Return the marker of class ``k``, so that colour is not all that tells classes apart."""
    return _MARKERS[k % len(_MARKERS)]
