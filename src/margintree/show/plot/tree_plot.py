"""The tree as cards: the questions of the splits and the classes of their rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from margintree._lib.arrays import FloatArray
from margintree._lib.exceptions import InvalidInputError
from margintree.core import topology
from margintree.core.tree import ObliqueTree
from margintree.show.export.named_tree import NamedTree, has_margins, named
from margintree.show.export.wording import Question, asks_condition, question
from margintree.show.plot._style import (
    FAINT,
    INK,
    PAPER,
    Pen,
    axes_or_new,
    class_colours,
    class_hatch,
    shortened,
    text_width,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Card:
    """The place of a node, a split or a leaf, in the drawing.

    Attributes
    ----------
    x : float
        The middle of the card, in columns; every leaf has its own column.
    level : int
        The number of splits above it.
    children : pair of Card, or empty
        The cards after "no", drawn on the left, and after "yes".
    """

    node: int
    x: float
    level: int
    children: tuple["Card", ...] = ()

    def all(self) -> Iterator["Card"]:
        """Yield this card and all below it."""
        yield self
        for child in self.children:
            yield from child.all()

    def leaves(self) -> list["Card"]:
        """Return the leaves at or below this card, the leftmost first."""
        return [card for card in self.all() if not card.children]


def laid_out(tree: ObliqueTree, node: int = 1, level: int = 0, first: int = 0) -> Card:
    """Return the card of a subtree; its leaves have the columns from ``first`` on."""
    node = tree.first_stop(node)
    if node > len(tree.splits):
        return Card(node, first, level)
    no = laid_out(tree, topology.left(node), level + 1, first)
    yes = laid_out(tree, topology.right(node), level + 1, first + len(no.leaves()))
    return Card(node, (first + yes.leaves()[-1].x) / 2, level, (no, yes))


def class_mass(tree: ObliqueTree, node: int) -> FloatArray:
    """Return the training weight of every class at a node."""
    width = topology.n_leaves(tree.depth - topology.depth_of(node))
    first = node * width - topology.n_leaves(tree.depth)
    return np.asarray(tree.leaf_mass[first : first + width].sum(axis=0))


# All lengths are in lines of text.
_TEXT, _SMALL = 0.72, 0.58
_PAD = 0.5
_BAR = 4.4
_LONGEST_NAME = 11.0
_LEAST_WIDTH = 12.0
_LEAF_WIDTH, _LEAF_HEIGHT = 7.0, 3.1
_GAP, _DROP = 0.9, 2.4
_INCHES = 0.2
"""Height of a line of text in a new figure."""


def plot_tree(
    model: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    max_terms: int = 4,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a tree: one card for every split and every leaf that rows can reach.

    The card of a split lists its most influential features with their coefficients in original
    units, rounded to three digits (`export_text` has all features and digits). The bar beside a
    coefficient is its influence: the change of the sum over the whole range of the feature, to the
    right if it is positive. Rows whose sum reaches the threshold follow "yes", always drawn on the
    right. The card also gives the margin: its reach on both sides of the threshold, and its width
    in a box in which every feature spans 1. A split on a single feature compares it directly. The
    strip at the foot of a card shows the classes of the training rows at its node.

    Parameters
    ----------
    model : TreeClassifier or ObliqueTree
        A fitted classifier, or its tree.
    feature_names : sequence of str, optional
        Names of the features; by default those seen in `fit`, or ``x0, x1, ...``.
    class_names : sequence, optional
        Names of the classes; by default those of the classifier, or ``0, 1, ...``.
    max_terms : int, default=4
        Largest number of features on the card of a split, at least 1.
    ax : Axes, optional
        The axes to draw on; by default those of a new figure, large enough for the tree.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from margintree import ObliqueTree
    >>> from margintree.show.plot import plot_tree
    >>> tree = ObliqueTree.stump([2.0, -0.5], -1.0, leaf_classes=[0, 1], n_classes=2)
    >>> ax = plot_tree(tree, feature_names=["height", "age"], class_names=["no", "yes"])
    """
    if max_terms < 1:
        raise InvalidInputError(
            f"max_terms must be at least 1; {max_terms!r} was given. Leave it out for 4 terms."
        )
    names = named(model, feature_names, class_names)
    drawing = _Drawing(names, max_terms, has_margins(model))
    ax = axes_or_new(ax, _INCHES * drawing.width, _INCHES * drawing.height)
    drawing.draw(ax)
    return ax


class _Drawing:
    """The layout of a tree and the drawing of its parts."""

    def __init__(self, model: NamedTree, max_terms: int, has_margins: bool) -> None:
        self.model, self.tree, self.has_margins = model, model.tree, has_margins
        self.root = laid_out(self.tree)
        self.cards = list(self.root.all())
        self.questions = {c.node: question(self.tree, c.node) for c in self.cards if c.children}
        self.max_terms = max_terms
        colours = class_colours(self.tree.n_classes)
        self.fills = [{"facecolor": c, "hatch": class_hatch(k)} for k, c in enumerate(colours)]
        self.influence = np.abs(self.tree.weights).max(initial=np.finfo(float).tiny)
        self.n_columns = len(self.root.leaves())
        names, numbers = self._widest()
        self.name_width, self.number_width = min(_LONGEST_NAME, names), numbers + _PAD
        inner = self.name_width + self.number_width + 2 * _PAD + _BAR
        lines = (self._widest_line(node) for node in self.questions)
        self.card_width = max(_LEAST_WIDTH, inner + 2 * _PAD, *(w + 2 * _PAD for w in lines))
        heads = [self._head_width(card) + 2 * _PAD for card in self.cards if not card.children]
        self.leaf_width = max(_LEAF_WIDTH, *heads)
        self.pitch = max(self.leaf_width, self.card_width / 2) + _GAP
        self.tops = self._tops()

    def _widest(self) -> tuple[float, float]:
        """Return the width of the widest name and of the widest number on the cards."""
        shown = [term for asked in self.questions.values() for term in self._terms(asked)]
        names = [text_width(self._words(j), _TEXT) for j, _ in shown]
        names += [text_width(self._others(asked), _SMALL) for asked in self.questions.values()]
        numbers = (text_width(_few_digits(float(number)), _TEXT) for _, number in shown)
        return max(names, default=0.0), max(numbers, default=0.0)

    def _widest_line(self, node: int) -> float:
        """Return the width of the widest line across the card of a split."""
        asked = self.questions[node]
        return max(
            text_width(self._headline(asked), _TEXT, bold=True),
            text_width(self._margin(node, asked), _SMALL) if self.has_margins else 0.0,
            self._head_width(Card(node, 0, 0)),
        )

    def _head_width(self, card: Card) -> float:
        """Return the width of the line with the number of a node and its rows."""
        return text_width("   ".join(self._head(card)), _SMALL)

    def _head(self, card: Card) -> tuple[str, str]:
        """Return the number of a node and the weight of its rows, in words."""
        total = class_mass(self.tree, card.node).sum()
        return f"node {card.node}", f"n = {total:.4g}" if total else ""

    def _others(self, asked: Question) -> str:
        """Return the number of terms that the card has no room for, in words."""
        return f"and {len(asked.terms) - len(self._terms(asked))} smaller"

    def _words(self, j: int) -> str:
        """Return the name of a feature, or "if" and the condition."""
        name = self.model.features[j]
        return f"if {name}" if j in self.model.conditions else name

    def _headline(self, asked: Question) -> str:
        """Return the threshold; the feature as well if there is only one."""
        sign = {">=": "≥", "<=": "≤"}[asked.relation]
        words = f"{sign} {_few_digits(float(asked.threshold))} ?"
        if not _is_single(asked):
            return words
        name = self.model.features[asked.terms[0][0]]
        if asks_condition(self.model, asked):
            words = "?"
        return f"{shortened(name, _TEXT, _LONGEST_NAME, bold=True)} {words}"

    def _terms(self, asked: Question) -> tuple[tuple[int, str], ...]:
        """Return the terms to list; a single feature is beside the threshold instead."""
        return () if _is_single(asked) else asked.terms[: self.max_terms]

    def _tops(self) -> list[float]:
        """Return the top of the cards of every level, and the foot of the last level."""
        tops = [self._legend_items()[-1][1] - 1.2]
        for level in range(max(card.level for card in self.cards) + 1):
            tallest = max(self._height(card) for card in self.cards if card.level == level)
            tops.append(tops[-1] - tallest - _DROP)
        return [*tops[:-1], tops[-1] + _DROP]

    def _height(self, card: Card) -> float:
        if not card.children:
            return _LEAF_HEIGHT
        asked = self.questions[card.node]
        has_more = len(asked.terms) > self.max_terms
        return len(self._terms(asked)) + has_more + self.has_margins + 3.35

    @property
    def width(self) -> float:
        """The width of the drawing."""
        return max(self.n_columns * self.pitch, self.card_width + _GAP)

    @property
    def height(self) -> float:
        """The height of the drawing."""
        return -self.tops[-1]

    def draw(self, ax: "Axes") -> None:
        """Draw the legend, the cards and the edges."""
        pen = Pen(ax)
        middle = (self.n_columns - 1) / 2 * self.pitch
        ax.set_axis_off()
        ax.set_aspect("equal")
        ax.set_xlim(middle - self.width / 2, middle + self.width / 2)
        ax.set_ylim(self.tops[-1] - 0.1, 0.1)
        self._draw_legend(pen, middle - self.width / 2 + _GAP / 2)
        for card in self.cards:
            for child in card.children:
                self._draw_edge(pen, card, child)
            draw_card = self._draw_split if card.children else self._draw_leaf
            draw_card(pen, card)

    def _legend_items(self) -> list[tuple[float, float, int, str]]:
        """Return x, y, class and name of every entry of the legend, which may have many lines."""
        items, x, y = [], 0.0, -1.0
        for k, name in enumerate(self.model.classes):
            name = shortened(name, _TEXT, _LONGEST_NAME)
            needed = 1.9 + text_width(name, _TEXT)
            if x and x + needed > self.width - _GAP:
                x, y = 0.0, y - 1.2
            items.append((x, y, k, name))
            x += needed
        return items

    def _draw_legend(self, pen: Pen, left: float) -> None:
        for x, y, k, name in self._legend_items():
            pen.box(left + x, y, 0.8, 0.6, **self.fills[k])
            pen.text(left + x + 1.1, y, name, _TEXT)

    def _draw_edge(self, pen: Pen, card: Card, child: Card) -> None:
        start = card.x * self.pitch, self.tops[card.level] - self._height(card)
        end = child.x * self.pitch, self.tops[child.level]
        whole, part = (class_mass(self.tree, c.node).sum() for c in (card, child))
        width = 1.0 + 4.0 * part / whole if whole else 1.5
        pen.ax.plot(*zip(start, end, strict=True), color="#c4c4c4", linewidth=width, zorder=1)
        words = "yes" if child is card.children[1] else "no"
        x, y = end[0] + 0.4 * (start[0] - end[0]), end[1] + 0.4 * (start[1] - end[1])
        half = text_width(words, _TEXT, bold=True) / 2 + 0.25
        pen.box(x - half, y - 0.42, 2 * half, 0.95, zorder=2)
        pen.text(x, y - 0.2, words, _TEXT, align="middle", bold=True)

    def _frame(self, pen: Pen, card: Card, width: float) -> tuple[float, float]:
        """Draw the box and the head of a card; return its left edge and the foot of its head."""
        left, top = card.x * self.pitch - width / 2, self.tops[card.level]
        height = self._height(card)
        pen.box(left, top - height, width, height, edgecolor="#9a9a9a", linewidth=0.8)
        y = top - 0.85
        number, rows = self._head(card)
        pen.text(left + _PAD, y, number, _SMALL, colour=FAINT)
        if rows:
            pen.text(left + width - _PAD, y, rows, _SMALL, align="right", colour=FAINT)
        return left, y

    def _draw_split(self, pen: Pen, card: Card) -> None:
        asked = self.questions[card.node]
        left, y = self._frame(pen, card, self.card_width)
        zero = left + self.card_width - _PAD - _BAR / 2
        terms = self._terms(asked)
        pen.box(zero - 0.02, y - len(terms) - 0.2, 0.04, len(terms), facecolor=FAINT)
        for j, number in terms:
            y -= 1.0
            right = left + _PAD + self.name_width
            name = shortened(self._words(j), _TEXT, self.name_width)
            pen.text(right, y, name, _TEXT, align="right")
            digits = _few_digits(float(number))
            pen.text(right + self.number_width, y, digits, _TEXT, align="right")
            self._draw_influence(pen, zero, y, card.node, j)
        if len(asked.terms) > self.max_terms:
            y -= 1.0
            right = left + _PAD + self.name_width
            pen.text(right, y, self._others(asked), _SMALL, align="right", colour=FAINT)
        self._draw_threshold(pen, card, left, y - 1.1)
        self._draw_mix(pen, card, left, self.card_width)

    def _draw_influence(self, pen: Pen, zero: float, y: float, node: int, j: int) -> None:
        weight = self.tree.weights[node - 1, j]
        length = weight / self.influence * _BAR / 2
        face = INK if weight > 0 else PAPER
        x = min(zero, zero + length)
        pen.box(x, y - 0.05, abs(length), 0.6, facecolor=face, edgecolor=INK, linewidth=0.7)

    def _draw_threshold(self, pen: Pen, card: Card, left: float, y: float) -> None:
        asked, middle = self.questions[card.node], left + self.card_width / 2
        pen.text(middle, y, self._headline(asked), _TEXT, align="middle", bold=True)
        words = self._margin(card.node, asked) if self.has_margins else ""
        if words:
            pen.text(middle, y - 1.0, words, _SMALL, align="middle", colour=FAINT)

    def _margin(self, node: int, asked: Question) -> str:
        """Return the reach of the margin from the threshold, and its width, in words."""
        if not asked.terms:
            return ""
        weights = self.tree.weights[node - 1]
        return f"margin ± {_few_digits(abs(asked.unit))}, width {2 / np.linalg.norm(weights):.2g}"

    def _draw_leaf(self, pen: Pen, card: Card) -> None:
        left, y = self._frame(pen, card, self.leaf_width)
        label = self.tree.leaf_classes[card.node - len(self.tree.leaf_classes)]
        name = shortened(
            self.model.classes[label], _TEXT, self.leaf_width - 2 * _PAD - 1, bold=True
        )
        half = (text_width(name, _TEXT, bold=True) + 1.0) / 2
        middle = left + self.leaf_width / 2
        pen.box(middle - half, y - 1.12, 0.65, 0.65, **self.fills[label])
        pen.text(middle - half + 1.0, y - 1.1, name, _TEXT, bold=True)
        self._draw_mix(pen, card, left, self.leaf_width)

    def _draw_mix(self, pen: Pen, card: Card, left: float, width: float) -> None:
        """Draw the strip of classes at the foot of a card."""
        mass = class_mass(self.tree, card.node)
        foot = self.tops[card.level] - self._height(card)
        if not mass.any():
            return
        shares = mass / mass.sum() * (width - 2 * _PAD)
        starts = left + _PAD + np.cumsum(shares) - shares
        for k in np.flatnonzero(shares):
            pen.box(starts[k], foot + 0.3, shares[k], 0.45, **self.fills[k])


def _is_single(asked: Question) -> bool:
    """Tell whether a question compares one feature directly."""
    return len(asked.terms) == 1 and asked.terms[0][1] == "1"


def _few_digits(value: float) -> str:
    """Return the number with three digits, or all before the point, and a real minus sign.

    Examples
    --------
    >>> _few_digits(-0.35264), _few_digits(1234.5), _few_digits(2.5e9)
    ('−0.353', '1234', '2.5e+09')
    """
    text = f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"
    return text.replace("-", "−")
