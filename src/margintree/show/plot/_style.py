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

PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
"""The colours of Okabe and Ito, which are distinct for any kind of colour vision.

The interactive page (``show/page/script/page.js``) has the same ones in the same order.
"""
HATCHES = (None, "/////", "....", "-----")
"""Textures of classes that share a colour: further classes begin the palette again."""
GREY = "#8a919c"
MARKERS = "os^DvPX*"
"""Markers of classes, so that classes differ not only in colour."""


def axes_or_new(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes, or the axes of a new figure of this size in inches."""
    if ax is None:
        pyplot = imported("matplotlib.pyplot", extra="plot")
        _, ax = pyplot.subplots(figsize=(width, height), layout="constrained")
    return ax


def class_colours(n_classes: int) -> list[str]:
    """Return the colour of every class: the palette again and again, then grey.

    Examples
    --------
    >>> class_colours(2)
    ['#0072b2', '#e69f00']
    """
    coloured = PALETTE * len(HATCHES)
    return [coloured[k] if k < len(coloured) else GREY for k in range(n_classes)]


def class_hatch(k: int) -> str | None:
    """Return the texture of a class, which differs between classes of the same colour."""
    texture = k // len(PALETTE)
    return HATCHES[texture] if texture < len(HATCHES) else None


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
    """Return the width of words; matplotlib has no outline of none."""
    if not words.strip():
        return 0.0
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
        if not words.strip():
            return
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
