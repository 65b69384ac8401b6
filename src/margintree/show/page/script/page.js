// What every part of the page uses: elements, numbers, colours. Text from the data only ever
// becomes the text of an element, never its markup.

const content = JSON.parse(document.getElementById("data").textContent);

// The trees of a path, or the only tree. What a tree does not say itself holds for all.
const stops = (content.path?.trees ?? [{}]).map((own) => ({ ...content, ...own }));

// The tree that is shown, and the entries about it.
let report, tree, evaluation;

function turnTo(stop) {
  report = stops[stop];
  tree = new Tree(report.tree, report.shares, report.units, report.asked);
  evaluation = report.evaluation ?? null;
}

turnTo(content.path?.shown ?? 0);

const features = content.features ?? tree.minimum.map((_, j) => `x${j}`);
const classes = content.classes ?? tree.leafMass[0].map((_, k) => String(k));
const conditions = new Set(content.conditions ?? []);
const encoding = content.columns
  ? new Encoding(content.columns, content.whole)
  : Encoding.ofNumbers(features.slice(0, tree.nFeatures), content.whole);
const hasMargins = content.margins ?? true;

const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svg(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const byId = (id) => document.getElementById(id);

// Put other content below the heading of a section.
const refill = (section, ...parts) => section.replaceChildren(section.querySelector("h2"), ...parts);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// Numbers -----------------------------------------------------------------------------------

const FOUR_DIGITS = { maximumSignificantDigits: 4 };

// A number with four significant digits and a real minus sign.
function number(value) {
  const size = Math.abs(value);
  const isOdd = size !== 0 && (size < 1e-4 || size >= 1e9);
  // Adding 0 makes -0 a 0.
  const text = isOdd ? value.toExponential(2) : (value + 0).toLocaleString("en", FOUR_DIGITS);
  return text.replaceAll("-", "−");
}

// A number with all its digits, written as `number` writes it.
function exactNumber(value) {
  const [whole, rest] = String(Math.abs(value)).split(".");
  const sign = value < 0 ? "−" : "";
  const grouped = whole.includes("e") ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${sign}${grouped}${rest === undefined ? "" : `.${rest}`}`.replace("e-", "e−");
}

const duration = (seconds) => `${seconds < 10 ? seconds.toFixed(2) : number(seconds)} s`;
const count = (value) => Number(value.toPrecision(6)).toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(share === 1 || share === 0 ? 0 : 1)}%`;
const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

// Colours -----------------------------------------------------------------------------------

// Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
const HUES = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"];
const TEXTURES = ["solid", "stripes", "dots", "lines"];
const GREY = "#8a919c";

// The fill of a class: plain hues first, then the same hues with textures, grey for the rest. The
// pictures (margintree.show.plot) give the same class the same hue.
function fillOf(k) {
  const texture = TEXTURES[Math.floor(k / HUES.length)];
  if (texture === undefined) return GREY;
  return texture === "solid" ? HUES[k] : `url(#class-${k})`;
}

function texturePatterns() {
  const textured = classes.map((_, k) => k).filter((k) => fillOf(k).startsWith("url"));
  const box = { patternUnits: "userSpaceOnUse", width: 6, height: 6 };
  return textured.map((k) => {
    const texture = TEXTURES[Math.floor(k / HUES.length)];
    const turn = texture === "stripes" ? "rotate(45)" : null;
    const hue = HUES[k % HUES.length];
    const mark =
      texture === "dots"
        ? svg("circle", { cx: 3, cy: 3, r: 1.7 })
        : svg("rect", { width: 6, height: 2.4 });
    mark.setAttribute("class", "texture");
    const ground = svg("rect", { width: 6, height: 6, fill: hue });
    return svg("pattern", { id: `class-${k}`, ...box, patternTransform: turn }, ground, mark);
  });
}

function swatch(k) {
  const square = svg("rect", { width: 12, height: 12, rx: 3, fill: fillOf(k) });
  return svg("svg", { class: "swatch", width: 12, height: 12, "aria-hidden": "true" }, square);
}

const featureName = (j) => breakable(features[j]);
const columnName = (j) => breakable(encoding.columns[j].name);

// A name; a long one may break after a joint such as an underscore.
function breakable(name) {
  const parts = name.split(/(?<=[_./-])/);
  return element("span", {}, ...parts.flatMap((part) => [part, element("wbr")]));
}

const classTag = (k) => element("span", { class: "tag" }, swatch(k), classes[k]);

const quietNote = (...parts) => element("p", { class: "quiet" }, ...parts);
const figure = (...parts) => element("span", { class: "figure" }, ...parts);

// Bars and tables ---------------------------------------------------------------------------

// A horizontal bar whose whole width is a share of 1.
function bar(share, fill) {
  const whole = svg("rect", { width: "100%", height: "100%", class: "track" });
  const part = svg("rect", { width: `${100 * share}%`, height: "100%", fill });
  return svg("svg", { class: "bar", "aria-hidden": "true" }, whole, part);
}

// A bar from the middle: to the right for a positive share, to the left for a negative one.
function signedBar(share) {
  const whole = svg("rect", { width: "100%", height: "100%", class: "track" });
  const width = 50 * Math.abs(share);
  const x = `${share < 0 ? 50 - width : 50}%`;
  const part = svg("rect", { x, width: `${width}%`, height: "100%", fill: "var(--accent)" });
  const middle = svg("line", { x1: "50%", x2: "50%", y1: 0, y2: "100%", class: "zero" });
  return svg("svg", { class: "bar", "aria-hidden": "true" }, whole, part, middle);
}

const BARS_SHOWN = 8;

// Bars of the classes, the largest first; those without any are left out.
function classBars(amounts, describe) {
  const total = sum(amounts);
  const order = amounts.map((_, k) => k).filter((k) => amounts[k] > 0);
  order.sort((a, b) => amounts[b] - amounts[a] || a - b);
  const lines = order.map((k) =>
    element(
      "li",
      {},
      classTag(k),
      bar(amounts[k] / total, fillOf(k)),
      figure(describe(amounts[k], amounts[k] / total)),
    ),
  );
  const list = (some) => element("ul", { class: "bars" }, ...some);
  return element("div", {}, ...folded(lines, BARS_SHOWN, list, "classes"));
}

const MORE_SHOWN = 100;

// The first few entries, and the next ones behind a line that opens them.
function folded(entries, limit, wrap, noun) {
  const shown = wrap(entries.slice(0, limit));
  if (entries.length <= limit) return [shown];
  const title = element("summary", {}, `${count(entries.length - limit)} more ${noun}`);
  const end = limit + MORE_SHOWN;
  const rest = Math.max(0, entries.length - end);
  const note = rest ? quietNote(`${count(rest)} more are not listed here.`) : null;
  return [shown, element("details", {}, title, wrap(entries.slice(limit, end)), note ?? "")];
}

// A table from column titles and rows of cells; a cell is a text or an element.
function table(titles, rows, attributes = {}) {
  const head = titles.map((title) => element("th", { scope: "col" }, title));
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      ...row.map((cell, i) => element(i ? "td" : "th", i ? {} : { scope: "row" }, cell)),
    ),
  );
  const parts = [element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)];
  return scrollable(element("table", attributes, ...parts));
}

// A box that scrolls sideways where its content is too wide; then the keyboard reaches it.
const widths = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const isWide = target.scrollWidth > target.clientWidth;
    if (isWide) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});

function scrollable(content) {
  const box = element("div", { class: "scroll" }, content);
  widths.observe(box);
  return box;
}
