// What the box of a node says: its question or its class, and the class mix.

// How many rows of every class arrive at a node: those of the report, or else those of training.
function arrivals(node) {
  return evaluation ? evaluation.arrivals[node] : tree.mass(node);
}

function nodeName(node) {
  return tree.isLeaf(node) ? `Leaf ${node}` : `Split ${node}`;
}

function nodeLabel(node) {
  const rows = plural(sum(arrivals(node)), "row");
  if (tree.isLeaf(node)) return `${nodeName(node)}: ${classes[tree.leafClass(node)]}, ${rows}`;
  return `${nodeName(node)}: ${questionLines(node).join(" ")}, ${rows}`;
}

// Whether a split asks no more than whether a condition holds.
function asksCondition(node) {
  const { terms, threshold, isSingle, isAtMost } = tree.questions.get(node);
  return isSingle && !isAtMost && conditions.has(terms[0].feature) && threshold > 0 && threshold <= 1;
}

// The question of a split in short lines: its first terms, and the comparison.
function questionLines(node, most = 3) {
  const { terms, threshold, isSingle, isAtMost } = tree.questions.get(node);
  if (asksCondition(node)) return [`${features[terms[0].feature]} ?`];
  const texts = terms.slice(0, most).map(({ feature, coefficient }, i) => {
    const sign = coefficient < 0 ? "− " : i ? "+ " : "";
    const size = number(Math.abs(coefficient));
    if (conditions.has(feature)) return `${sign}${size} if ${features[feature]}`;
    return `${sign}${features[feature]}${isSingle || size === "1" ? "" : ` × ${size}`}`;
  });
  const others = terms.length > most ? `… ${count(terms.length - most)} more ` : "";
  return [...(texts.length ? texts : ["0"]), `${others}${isAtMost ? "≤" : "≥"} ${number(threshold)} ?`];
}

function splitLines(node, width, most) {
  const lines = questionLines(node, most);
  const top = 18 + 8 * (most + 1 - lines.length);
  const texts = lines.map((line, i) => {
    const style = i === lines.length - 1 ? "threshold" : "term";
    const place = { x: 11, y: top + 17 * i };
    return svg("text", { class: style, ...place, "data-room": NUMBER_ROOM }, line);
  });
  return [...texts, nodeNumber(node, width - 8, 15)];
}

const NUMBER_ROOM = 22;

function nodeNumber(node, x, y) {
  return svg("text", { class: "number", x, y, "text-anchor": "end", "aria-hidden": "true" }, node);
}

// The button that folds and unfolds what is below a split.
function foldMark(isFolded, width, height) {
  const [x, y, size] = [width - 24, height / 2 - 6, 16];
  const title = svg("title", {}, isFolded ? "Unfold" : "Fold");
  const middle = { x: x + size / 2, y: y + 12, "text-anchor": "middle" };
  const box = svg("rect", { x, y, width: size, height: size, rx: 4 });
  return svg("g", { class: "fold" }, title, box, svg("text", middle, isFolded ? "+" : "−"));
}

function leafLines(leaf, width, height) {
  const amounts = arrivals(leaf);
  const k = tree.leafClass(leaf);
  const right = sum(amounts) ? `${count(amounts[k])} of ${count(sum(amounts))}` : "no rows";
  const isTall = height > 40;
  const y = isTall ? 20 : 18;
  const name = svg("text", { class: "label", x: 28, y, "data-room": isTall ? 30 : 106 }, classes[k]);
  const place = isTall ? { x: 28, y: 37 } : { x: width - 28, y, "text-anchor": "end" };
  const box = svg("rect", { x: 10, y: y - 10, width: 11, height: 11, rx: 3, fill: fillOf(k) });
  const note = svg("text", { class: "note", ...place }, right);
  return [box, name, note, nodeNumber(leaf, width - 8, 15)];
}

// The class mix of a node as a strip along its lower edge.
function mixStrip(amounts, width, height) {
  const total = sum(amounts);
  const room = width - 20;
  const parts = [];
  let x = 10;
  amounts.forEach((amount, k) => {
    if (!amount) return;
    const length = (room * amount) / total;
    parts.push(svg("rect", { x, y: height - 9, width: length, height: 4, fill: fillOf(k) }));
    x += length;
  });
  return svg("g", { class: "mix", "aria-hidden": "true" }, ...parts);
}

// Shorten texts that are longer than their node is wide, in the middle of the name: names that
// begin alike often end differently. Numbers stay whole.
function fitText(item, room) {
  for (const text of item.querySelectorAll(".label, .term, .threshold")) {
    const width = room - Number(text.dataset.room ?? 0);
    if (text.matches(".threshold") && text.getComputedTextLength() > width)
      text.textContent = text.textContent.replace(" more ", " ");
    const [, name, tail] = /^(.*?)( × [^×]*)?$/s.exec(text.textContent);
    for (let n = name.length - 1; n > 2 && text.getComputedTextLength() > width; n--) {
      const start = name.slice(0, Math.ceil(n * 0.6)).trimEnd();
      text.textContent = `${start}…${name.slice(name.length - Math.floor(n * 0.4))}${tail ?? ""}`;
    }
  }
}
