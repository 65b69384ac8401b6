"""Text and boxes whose size is that of the drawing, not that of the screen."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from margintree._lib.extras import imported
from margintree.show.plot._style import INK, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.textpath import TextPath

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
