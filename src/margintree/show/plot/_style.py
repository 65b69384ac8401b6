"""Axes and colours that all pictures share."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from margintree._lib.extras import imported

if TYPE_CHECKING:
    from matplotlib.axes import Axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.textpath import TextPath


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


Align = Literal["left", "middle", "right"]
_SHARE_LEFT = {"left": 0.0, "middle": 0.5, "right": 1.0}


def _outline(words: str, size: float, bold: bool) -> "TextPath":
    """Return the outline of words, whose capitals stand on y = 0."""
    paths = imported("matplotlib.textpath", extra="plot")
    fonts = imported("matplotlib.font_manager", extra="plot")
    font = fonts.FontProperties(weight="bold" if bold else "normal")
    # A name may have dollar signs in it, and they do not begin a formula.
    path: TextPath = paths.TextPath((0, 0), words.replace("$", r"\$"), size=size, prop=font)
    return path


def text_width(words: str, size: float, bold: bool = False) -> float:
    """Return how wide words are."""
    # The points that shape the curves: exact extents would take ten times as long.
    return float(_outline(words, size, bold).vertices[:, 0].max(initial=0.0))


def shortened(words: str, size: float, width: float, bold: bool = False) -> str:
    """Return the words, or as much of them as fits into the width and an ellipsis."""
    if text_width(words, size, bold) <= width:
        return words
    cuts = (words[:end].rstrip() + "…" for end in range(len(words) - 1, 0, -1))
    return next((cut for cut in cuts if text_width(cut, size, bold) <= width), "…")


@dataclass(frozen=True)
class Pen:
    """Draws in the units of the axes, in which a line of text is one unit high."""

    ax: "Axes"

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        *,
        align: Align = "left",
        bold: bool = False,
        colour: str = INK,
    ) -> None:
        """Write words whose foot is at ``y`` and whose left, middle or right is at ``x``."""
        patches = imported("matplotlib.patches", extra="plot")
        transforms = imported("matplotlib.transforms", extra="plot")
        left = x - _SHARE_LEFT[align] * text_width(words, size, bold)
        path = _outline(words, size, bold).transformed(transforms.Affine2D().translate(left, y))
        # Snapping to pixels would pull letters made of straight lines, such as F, out of shape.
        patch = patches.PathPatch(path, facecolor=colour, linewidth=0, zorder=4, snap=False)
        # add_patch would find the exact extent of every letter, which nobody asks for.
        self.ax.add_artist(patch)

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """Draw a rectangle with its lower left corner at (x, y)."""
        patches = imported("matplotlib.patches", extra="plot")
        style = {"facecolor": PAPER, "linewidth": 0, "zorder": 3} | style
        self.ax.add_patch(patches.Rectangle((x, y), width, height, **style))
