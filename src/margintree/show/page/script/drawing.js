// The tree as a picture: small trees hang from the top, larger ones grow from the left, where
// their many leaves have room to be read.

// A box shows the first terms of a split: three are a whole score card.
const SHAPES = {
  hanging: { level: 164, slot: 160, split: [216, 91], leaf: [142, 52], terms: 3 },
  growing: { level: 250, slot: 46, split: [200, 70], leaf: [190, 34], terms: 2 },
};
const LARGEST_HANGING = 6;
const LARGEST_ZOOM = 1.35;
const FOLDED_LEVEL = 2;

// The place of every drawn node: its level, and its position among the leaves. A split of a
// hanging tree stands between its children; in a growing one it stays near the first of them, so
// that one reads from the upper left corner on. Below a folded split nothing is drawn.
function placedNodes(isHanging, folded) {
  const places = new Map();
  const between = ([no, yes]) => (isHanging ? (no + yes) / 2 : no + 0.5);
  let nLeaves = 0;
  function place(node, level, parent) {
    const children = tree.isLeaf(node) || folded.has(node) ? [] : tree.children(node);
    const spot = { node, level, parent, children };
    places.set(node, spot);
    const positions = children.map((child) => place(child, level + 1, node));
    spot.position = children.length ? between(positions) : nLeaves++;
    return spot.position;
  }
  place(tree.root, 0, null);
  return places;
}

// The picture: `onOpen(node)` is called when a node is clicked or Enter is pressed on it.
class Drawing {
  constructor(canvas, onOpen) {
    this.canvas = canvas;
    this.onOpen = onOpen;
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("keydown", (event) => this.press(event));
    this.start();
  }

  // Draw the tree of the page from the beginning.
  start() {
    const nLeaves = tree.splits.length + 1;
    this.isHanging = nLeaves <= LARGEST_HANGING;
    this.shape = this.isHanging ? SHAPES.hanging : SHAPES.growing;
    this.whole = this.weight(tree.root);
    this.folded = new Set();
    this.path = [];
    this.selected = tree.root;
    this.build();
    this.resize(this.fittingZoom());
  }

  // Draw everything that is not folded.
  build() {
    this.places = placedNodes(this.isHanging, this.folded);
    this.picture = this.draw();
    this.canvas.replaceChildren(this.picture);
    this.items = new Map(
      [...this.picture.querySelectorAll(".node")].map((item) => [Number(item.dataset.node), item]),
    );
    this.items.forEach((item, node) => fitText(item, this.size(node)[0] - 20));
    while (!this.items.has(this.selected)) this.selected = this.above(this.selected);
    this.mark(this.selected);
    this.followPath();
  }

  // The split above a node, drawn or not.
  above(node) {
    return tree.splits.find((split) => tree.children(split).includes(node));
  }

  // Fold a split or unfold it; the focus stays where it is.
  fold(node, isFolded = !this.folded.has(node)) {
    if (this.isHanging || tree.isLeaf(node) || isFolded === this.folded.has(node)) return;
    if (isFolded) this.folded.add(node);
    else this.folded.delete(node);
    this.rebuild();
    this.focus(node);
  }

  // Fold every split of the third level, or unfold all.
  foldAll() {
    const isThird = (node) => this.places.get(node)?.level === FOLDED_LEVEL;
    this.folded = new Set(this.folded.size ? [] : tree.splits.filter(isThird));
    this.rebuild();
  }

  rebuild() {
    this.build();
    this.resize(this.zoom);
  }

  size(node) {
    return tree.isLeaf(node) ? this.shape.leaf : this.shape.split;
  }

  weight(node) {
    return sum(arrivals(node));
  }

  // The centre of a node in the picture.
  centre(node) {
    const { level, position } = this.places.get(node);
    const along = (level + 0.5) * this.shape.level;
    const across = (position + 0.5) * this.shape.slot;
    return this.isHanging ? [across, along] : [along, across];
  }

  draw() {
    const nLeaves = [...this.places.values()].filter((spot) => !spot.children.length).length;
    const depth = 1 + Math.max(...[...this.places.values()].map((spot) => spot.level));
    const along = depth * this.shape.level;
    const across = Math.max(nLeaves * this.shape.slot, this.isHanging ? 200 : 80);
    [this.width, this.height] = this.isHanging ? [across, along - 60] : [along - 40, across];
    const shift = this.isHanging ? [0, 30] : [20, 0];
    const nodes = [...this.places.keys()];
    const edges = nodes.filter((node) => node !== tree.root).map((node) => this.edge(node));
    const viewBox = [...shift, this.width, this.height].join(" ");
    return svg(
      "svg",
      { role: "tree", "aria-label": "Decision tree", viewBox },
      svg("defs", {}, ...texturePatterns()),
      svg("g", { role: "presentation" }, ...edges),
      svg("g", { role: "presentation" }, ...nodes.map((node) => this.node(node))),
    );
  }

  edge(node) {
    const { parent } = this.places.get(node);
    const from = this.centre(parent);
    const to = this.centre(node);
    const axis = this.isHanging ? 1 : 0;
    from[axis] += this.size(parent)[axis] / 2;
    to[axis] -= this.size(node)[axis] / 2;
    const middle = (from[axis] + to[axis]) / 2;
    const bend = (point) => point.with(axis, middle).join(" ");
    const share = this.weight(node) / (this.whole || 1);
    const isYes = this.places.get(parent).children[1] === node;
    const [x, y] = [0, 1].map((i) => from[i] + (to[i] - from[i]) * (i === axis ? 0.62 : 0.86));
    return svg(
      "g",
      { class: "edge", "data-edge": node, "aria-hidden": "true" },
      svg("path", {
        d: `M ${from.join(" ")} C ${bend(from)} ${bend(to)} ${to.join(" ")}`,
        "stroke-width": (1.5 + 9 * share).toFixed(2),
      }),
      svg("text", { x, y: y + 4 }, isYes ? "yes" : "no"),
    );
  }

  node(node) {
    const [x, y] = this.centre(node);
    const [width, height] = this.size(node);
    const isLeaf = tree.isLeaf(node);
    const item = svg(
      "g",
      {
        role: "treeitem",
        class: isLeaf ? "node leaf" : "node split",
        "data-node": node,
        "aria-level": this.places.get(node).level + 1,
        "aria-label": nodeLabel(node),
        "aria-selected": "false",
        tabindex: "-1",
        transform: `translate(${x - width / 2} ${y - height / 2})`,
      },
      svg("rect", { class: "box", width, height, rx: 9 }),
      ...(isLeaf ? leafLines(node, width, height) : splitLines(node, width, this.shape.terms)),
      mixStrip(arrivals(node), width, height),
    );
    if (isLeaf) return item;
    item.setAttribute("aria-expanded", String(!this.folded.has(node)));
    if (!this.isHanging) item.append(foldMark(this.folded.has(node), width, height));
    return item;
  }

  click(event) {
    const item = event.target.closest(".node");
    if (!item) return;
    const node = Number(item.dataset.node);
    if (event.target.closest(".fold")) this.fold(node);
    else this.open(node);
  }

  open(node) {
    this.mark(node);
    this.onOpen(node);
  }

  mark(node) {
    this.selected = node;
    this.items.forEach((item, other) => {
      item.classList.toggle("selected", other === node);
      item.setAttribute("aria-selected", String(other === node));
    });
    this.makeFocusable(node);
  }

  // Exactly one node can be reached with Tab; the arrow keys go on from there.
  makeFocusable(node) {
    this.items.forEach((item, other) => item.setAttribute("tabindex", other === node ? "0" : "-1"));
  }

  press(event) {
    const item = event.target.closest(".node");
    if (!item) return;
    const node = Number(item.dataset.node);
    if (event.key === "Enter" || event.key === " ") this.open(node);
    else if (event.key === "-" || event.key === "+") this.fold(node, event.key === "-");
    else if (event.key in this.moves()) this.focus(this.moves()[event.key](node));
    else return;
    event.preventDefault();
  }

  moves() {
    const up = (node) => this.places.get(node).parent;
    const down = (node) => this.places.get(node).children[0];
    const back = (node) => this.neighbour(node, -1);
    const on = (node) => this.neighbour(node, 1);
    const sides = this.isHanging
      ? { ArrowUp: up, ArrowDown: down, ArrowLeft: back, ArrowRight: on }
      : { ArrowLeft: up, ArrowRight: down, ArrowUp: back, ArrowDown: on };
    return { ...sides, Home: () => tree.root };
  }

  // The next node on the same level.
  neighbour(node, step) {
    const { level } = this.places.get(node);
    const row = [...this.places.values()].filter((spot) => spot.level === level);
    row.sort((a, b) => a.position - b.position);
    return row[row.findIndex((spot) => spot.node === node) + step]?.node;
  }

  focus(node) {
    if (!this.items.has(node)) return;
    this.makeFocusable(node);
    this.items.get(node).focus({ preventScroll: true });
    this.reveal(node);
  }

  // Show which way a row takes; an empty path shows nothing. Splits on the way unfold.
  highlight(path) {
    this.path = path;
    const isHidden = path.some((node) => this.folded.delete(node));
    if (isHidden) this.rebuild();
    else this.followPath();
    if (path.length) this.reveal(path.at(-1));
  }

  followPath() {
    const onPath = new Set(this.path);
    this.picture.classList.toggle("follows", onPath.size > 0);
    this.items.forEach((item, node) => item.classList.toggle("on-path", onPath.has(node)));
    for (const edge of this.picture.querySelectorAll(".edge")) {
      edge.classList.toggle("on-path", onPath.has(Number(edge.dataset.edge)));
    }
  }

  // Bring a node into the visible part of the canvas, without moving the page.
  reveal(node) {
    const box = this.items.get(node).getBoundingClientRect();
    const view = this.canvas.getBoundingClientRect();
    const off = (start, end, first, last) => {
      if (start < first) return start - first - 12;
      return end > last ? end - last + 12 : 0;
    };
    this.canvas.scrollBy({
      left: off(box.left, box.right, view.left, view.right),
      top: off(box.top, box.bottom, view.top, view.bottom),
    });
  }

  // The zoom at which the picture is as wide as the canvas, unless it could not be read then.
  fittingZoom() {
    const zoom = Math.min(LARGEST_ZOOM, (this.canvas.clientWidth - 2) / this.width);
    return zoom < 0.64 ? 0.8 : zoom;
  }

  // The zoom at which all of it is seen.
  wholeZoom() {
    const { clientWidth, clientHeight } = this.canvas;
    return Math.min(LARGEST_ZOOM, clientWidth / this.width, clientHeight / this.height);
  }

  resize(zoom) {
    this.zoom = Math.min(3, Math.max(0.15, zoom));
    this.picture.setAttribute("width", this.width * this.zoom);
    this.picture.setAttribute("height", this.height * this.zoom);
  }
}
