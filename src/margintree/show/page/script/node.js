// The details of a node: what it asks, who arrives, and how far from the hyperplane.

const TERMS_SHOWN = 8;

function showNode(panel, node) {
  const parts = tree.isLeaf(node) ? leafParts(node) : splitParts(node);
  panel.replaceChildren(element("h2", {}, nodeName(node)), ...parts);
}

function splitParts(node) {
  return [
    ...questionParts(node),
    ...arrivalParts(node),
    ...(evaluation ? histogramParts(node) : []),
  ];
}

function leafParts(leaf) {
  const predicts = element("p", { class: "verdict" }, "Predicts ", classTag(tree.leafClass(leaf)));
  return [
    predicts,
    ...arrivalParts(leaf),
    element("h3", {}, "Probabilities"),
    quietNote("Class shares of the training rows, as predict_proba gives them."),
    classBars(tree.leafShares(leaf), (share) => percent(share)),
  ];
}

function questionParts(node) {
  const { terms, threshold, isSingle, isAtMost } = tree.questions.get(node);
  if (asksCondition(node)) return [element("p", {}, `Is it true that ${features[terms[0].feature]}\u00a0?`)];
  const what = isSingle ? features[terms[0].feature] : "the sum of features times coefficients";
  const end = element("strong", {}, number(threshold));
  const question = element("p", {}, `Is ${what} at ${isAtMost ? "most" : "least"} `, end, "\u00a0?");
  return isSingle ? [question] : [question, ...termParts(terms)];
}

function termParts(terms) {
  const most = Math.abs(terms[0]?.influence ?? 1);
  const rows = terms.map(({ feature, coefficient, influence }) => [
    termName(feature),
    figure(number(coefficient)),
    signedBar(influence / most),
  ]);
  const titles = ["Feature", "Coefficient", "Influence"];
  const rest = sum(terms.slice(TERMS_SHOWN).map(({ influence }) => Math.abs(influence)));
  const more = `terms, which move the sum by at most ${number(rest)} in the training range`;
  const idle = features.length - terms.length;
  const unused = idle ? ` ${plural(idle, tree.hasProducts ? "term is" : "feature is", tree.hasProducts ? "terms are" : "features are")} not used here.` : "";
  return [
    ...folded(rows, TERMS_SHOWN, (some) => table(titles, some, { class: "terms" }), more),
    quietNote(
      "Original units. The bar is the coefficient times the range of the feature in training: to " +
        `the right it speaks for yes, to the left for no.${unused}`,
    ),
  ];
}

// What is added up: a feature, or what a condition adds.
function termName(j) {
  return conditions.has(j) ? element("span", {}, "if ", featureName(j)) : featureName(j);
}

function arrivalParts(node) {
  const trained = sum(tree.mass(tree.root));
  // Weights that are no whole numbers are hardly numbers of rows.
  const what = Number.isInteger(trained) ? "rows" : "of the weight";
  const training = trained
    ? `In training: ${count(sum(tree.mass(node)))} of ${count(trained)} ${what}.`
    : "The training rows are unknown.";
  const describe = (amount, part) => `${count(amount)} · ${percent(part)}`;
  const title = evaluation ? "Rows of this report here" : "Training rows here";
  const text = evaluation ? `${reportedHere(node)} ${training}` : training;
  return [element("h3", {}, title), quietNote(text), classBars(arrivals(node), describe)];
}

function reportedHere(node) {
  const rows = sum(arrivals(node));
  const all = plural(evaluation.n_rows, "row");
  return `${count(rows)} of ${all} (${percent(rows / evaluation.n_rows)}).`;
}

// Histogram ---------------------------------------------------------------------------------

const CHART = { width: 420, height: 170, top: 8, bottom: 34, side: 10 };
// The usual width of a character below the picture.
const TICK_CHARACTER = 6.5;

function histogramParts(node) {
  const { isSingle, isAtMost, terms, threshold, unit } = tree.questions.get(node);
  const name = isSingle ? features[terms[0].feature] : "the split";
  const zero = isSingle ? threshold : 0;
  const ends = isSingle ? "" : `, ${number(-unit)} to ${number(unit)},`;
  const margin = hasMargins ? ` The margin${ends} is shaded.` : "";
  const sides = isAtMost
    ? `yes up to ${number(zero)}, no above`
    : `no below ${number(zero)}, yes from there on`;
  const note = `Values of ${name}: ${sides}.${margin}`;
  return [
    element("h3", {}, "Distances from the hyperplane"),
    quietNote(note),
    histogramPicture(histogramOf(node), (value) => number(rounded(zero + value * unit, unit))),
  ];
}

// The number without what rounding left of a 0, in a unit of this size.
const rounded = (value, unit) => (Math.abs(value) < TOLERANCE * Math.abs(unit) ? 0 : value);

// Counts by bin and class, and the number of bins.
function histogramOf(node) {
  const { first, width, counts } = evaluation.histograms[node];
  const n = counts.length ? counts[0][1].length : 1;
  return { first, width, counts, n };
}

// The picture; `name` says how a value of the split is written on the axis.
function histogramPicture({ first, width, counts, n }, name) {
  const { top, bottom, side } = CHART;
  const totals = Array.from({ length: n }, (_, i) => sum(counts.map(([, heights]) => heights[i])));
  const most = Math.max(1, ...totals);
  const floor = CHART.height - bottom;
  const x = (value) => side + ((value - first) / (n * width)) * (CHART.width - 2 * side);
  const height = (rows) => (rows / most) * (floor - top);
  const bars = totals.flatMap((_, i) => {
    let y = floor;
    return counts
      .filter(([, heights]) => heights[i])
      .map(([k, heights]) => {
        const box = { x: x(first + i * width) + 0.5, height: height(heights[i]), fill: fillOf(k) };
        y -= box.height;
        return svg("rect", { ...box, y, width: x(first + width) - x(first) - 1 });
      });
  });
  const named = [0, ...(hasMargins ? [-1, 1] : []), first, first + n * width];
  const margin = { x: x(-1), y: top, width: x(1) - x(-1), height: floor - top, class: "margin" };
  return svg(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${CHART.width} ${CHART.height}`,
      role: "img",
      "aria-label": `Histogram of the values of the split; the highest bar has ${plural(most, "row")}`,
    },
    hasMargins ? svg("rect", margin) : null,
    ...bars,
    svg("line", { class: "axis", x1: side, x2: CHART.width - side, y1: floor, y2: floor }),
    svg("line", { class: "zero", x1: x(0), x2: x(0), y1: top - 4, y2: floor + 4 }),
    ...ticks(named.map((value) => [x(value), name(value)]), floor + 15),
    svg("text", { class: "side", x: side, y: CHART.height - 4 }, "← no"),
    svg(
      "text",
      { class: "side", x: CHART.width - side, y: CHART.height - 4, "text-anchor": "end" },
      "yes →",
    ),
    svg("text", { class: "tick", x: side, y: top + 8 }, count(most)),
  );
}

// Numbers below the picture, each at its place. Earlier ones are more important: one that would meet
// an earlier one is left out.
function ticks(numbers, y) {
  const taken = [];
  return numbers.flatMap(([x, text]) => {
    const width = TICK_CHARACTER * (text.length + 1);
    const anchor = x < 24 ? "start" : x > CHART.width - 24 ? "end" : "middle";
    const start = x - { start: 0, middle: width / 2, end: width }[anchor];
    if (taken.some(([from, to]) => start < to && from < start + width)) return [];
    taken.push([start, start + width]);
    return [svg("text", { class: "tick", x, y, "text-anchor": anchor }, text)];
  });
}
