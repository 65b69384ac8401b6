"""Axes, colours and texts for all pictures."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from margintree._lib.extras import imported

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.textpath import TextPath

INK = "#222222"
FAINT = "#8a8a8a"
PAPER = "white"

_PALETTE = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442")
"""The colours of Okabe and Ito, which are distinct for any kind of colour vision."""
MARKERS = "os^DvPX*"
"""Markers of classes, so that classes differ not only in colour."""


def axes_or_new(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes, or the axes of a new figure of this size in inches."""
    if ax is None:
        pyplot = imported("matplotlib.pyplot", extra="plot")
        _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax


def class_colours(n_classes: int) -> list[str]:
    """Return one colour per class; many classes get a scale from dark to light.

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


Align = Literal["left", "middle", "right"]
_SHARE_LEFT = {"left": 0.0, "middle": 0.5, "right": 1.0}


def _outline(words: str, size: float, bold: bool) -> "TextPath":
    """Return the outline of words on the baseline y = 0."""
    paths = imported("matplotlib.textpath", extra="plot")
    fonts = imported("matplotlib.font_manager", extra="plot")
    font = fonts.FontProperties(weight="bold" if bold else "normal")
    # Dollar signs in a name must not begin a formula.
    path: TextPath = paths.TextPath((0, 0), words.replace("$", r"\$"), size=size, prop=font)
    return path


def text_width(words: str, size: float, bold: bool = False) -> float:
    """Return the width of words."""
    # The control points of the curves suffice; exact extents would take ten times as long.
    return float(_outline(words, size, bold).vertices[:, 0].max(initial=0.0))


def shortened(words: str, size: float, width: float, bold: bool = False) -> str:
    """Return the words, or the longest beginning of them that fits with an ellipsis."""
    if text_width(words, size, bold) <= width:
        return words
    cuts = (words[:end].rstrip() + "…" for end in range(len(words) - 1, 0, -1))
    return next((cut for cut in cuts if text_width(cut, size, bold) <= width), "…")


@dataclass(frozen=True)
class Pen:
    """Pen that draws in the units of the axes, in which a line of text is one unit high."""

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
        """Write words with their baseline at ``y`` and their left, middle or right at ``x``."""
        patches = imported("matplotlib.patches", extra="plot")
        transforms = imported("matplotlib.transforms", extra="plot")
        left = x - _SHARE_LEFT[align] * text_width(words, size, bold)
        path = _outline(words, size, bold).transformed(transforms.Affine2D().translate(left, y))
        # Snapping to pixels would pull letters made of straight lines, such as F, out of shape.
        patch = patches.PathPatch(path, facecolor=colour, linewidth=0, zorder=4, snap=False)
        # add_patch would compute the exact extent of every letter, which is not needed.
        self.ax.add_artist(patch)

    def box(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """Draw a rectangle with its lower left corner at (x, y)."""
        patches = imported("matplotlib.patches", extra="plot")
        style = {"facecolor": PAPER, "linewidth": 0, "zorder": 3} | style
        self.ax.add_patch(patches.Rectangle((x, y), width, height, **style))
