// What the tree costs on its training rows, what is proved, and how the fit went.

const MEANINGS = {
  margin: "narrowness of the narrowest margin",
  errors: "misclassified training rows",
  violations: "training rows inside margins",
  relabelled: "training rows that a split relabels",
  splits: "number of splits, or of features in them",
};

// The norms of the margin term that are named; the usual one, l2, is not.
const NORMS = { l1: "l1 norm", linf: "l-infinity norm" };

// Share of the cost that is taken for a rounding error of 0.
const NOISE = 1e-9;

function showFit(section) {
  const { fit } = report;
  if (!fit) {
    refill(
      section,
      quietNote("The fit is unknown: this is a bare tree, without cost and bound."),
    );
    return;
  }
  refill(section, element("div", { class: "columns" }, costPart(fit), proofPart(fit)));
}

function costPart({ cost, total, norm }) {
  const whole = total || 1;
  const rows = Object.entries(cost).map(([name, amount]) => [
    costName(name, NORMS[norm]),
    figure(number(amount > NOISE * whole ? amount : 0)),
    bar(amount / whole, "var(--accent)"),
  ]);
  rows.push(["total", element("strong", { class: "figure" }, number(total)), ""]);
  return element(
    "div",
    {},
    element("h3", {}, "Cost on the training rows"),
    table(["Term", "cost", "share"], rows, { class: "terms", id: "cost" }),
  );
}

function costName(name, norm) {
  const meaning = MEANINGS[name];
  if (name !== "margin" || !norm) {
    return element("span", { title: meaning }, name);
  }
  return element("span", { title: `${meaning}, in the ${norm} of its weights` }, `${name}, ${norm}`);
}

function proofPart(fit) {
  const bound = fit.bound === null ? "unknown" : `any tree costs at least ${number(fit.bound)}`;
  const gap = fit.gap === null ? "unknown without a bound" : percent(fit.gap);
  const seconds = fit.seconds === null ? "" : `, ${duration(fit.seconds)}`;
  const facts = [
    ["Bound", bound],
    ["Gap", gap],
    ["Ended", fit.ended],
    ["Found by", `${fit.by}${seconds}`],
  ];
  const lines = facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]);
  const trace = fit.trace.length > 1 ? tracePart(fit) : quietNote(noTrace(fit));
  const title = fit.optimal ? "Proved optimal" : "Bound and gap";
  return element(
    "div",
    {},
    element("h3", {}, title),
    element("dl", { id: "proof" }, ...lines),
    trace,
  );
}

function noTrace({ trace }) {
  return trace.length ? "The fit was a single step." : "The model keeps no trace of the fit.";
}

const TRACE = { left: 58, right: 10, top: 10, floor: 146, height: 170, width: 420 };

// Cost and bound over time, each staying until it improves.
function tracePart({ trace, seconds }) {
  const lines = { cost: knownPoints(trace, 1), bound: knownPoints(trace, 2) };
  const values = Object.values(lines).flatMap((points) => points.map(([, value]) => value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // A first tree is often many times as dear as the last one.
  const isLogarithmic = low > 0 && high > 20 * low;
  const y = axis(low, high, TRACE.floor, TRACE.top, isLogarithmic ? Math.log : (value) => value);
  const end = Math.max(seconds ?? 0, trace.at(-1)[0] ?? 0) || 1;
  const x = axis(0, end, TRACE.left, TRACE.width - TRACE.right, (value) => value);
  const paths = Object.entries(lines).filter(([, points]) => points.length);
  const picture = svg(
    "svg",
    {
      class: "chart",
      id: "trace",
      viewBox: `0 0 ${TRACE.width} ${TRACE.height}`,
      role: "img",
      "aria-label": `Cost and bound over ${duration(end)}, from ${number(high)} to ${number(low)}`,
    },
    svg("line", {
      class: "axis",
      x1: TRACE.left,
      x2: x(end),
      y1: TRACE.floor + 5,
      y2: TRACE.floor + 5,
    }),
    ...paths.map(([name, points]) =>
      svg("path", { class: name, d: `${steps(points, x, y)} H ${x(end)}` }),
    ),
    traceTick(TRACE.left - 8, y(high) + 4, "end", number(high)),
    traceTick(TRACE.left - 8, y(low) + 4, "end", number(low)),
    traceTick(TRACE.left, TRACE.height - 5, "start", "0 s"),
    traceTick(x(end), TRACE.height - 5, "end", duration(end)),
  );
  const scale = isLogarithmic ? ", on a logarithmic scale" : "";
  return element(
    "div",
    {},
    picture,
    quietNote(`Solid: cost of the best tree so far. Dashed: bound${scale}.`),
  );
}

const traceTick = (x, y, anchor, text) =>
  svg("text", { class: "tick", x, y, "text-anchor": anchor }, text);

// Pairs of seconds and value, without those that are not known.
function knownPoints(trace, column) {
  return trace.map((point) => [point[0], point[column]]).filter((pair) => !pair.includes(null));
}

// The map of a range of values to a range of places.
function axis(low, high, start, end, scale) {
  const width = scale(high) - scale(low) || 1;
  return (value) => start + ((scale(value) - scale(low)) / width) * (end - start);
}

function steps(points, x, y) {
  const [[seconds, value], ...later] = points;
  const parts = later.map(([s, v]) => `H ${x(s)} V ${y(v)}`);
  return [`M ${x(seconds)} ${y(value)}`, ...parts].join(" ");
}
