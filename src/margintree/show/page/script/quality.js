// How well the tree predicts the rows of the report.

const MANY = 7;

// `onWrong` shows the rows that are predicted wrong, one by one.
function showQuality(section, onWrong) {
  if (!evaluation) return section.remove();
  const { confusion, n_rows: all } = evaluation;
  const right = sum(confusion.map((line, k) => line[k]));
  const headline = element(
    "p",
    { class: "headline" },
    element("strong", { id: "accuracy" }, percent(right / all)),
    ` accuracy: ${count(right)} of ${plural(all, "row")} as labelled. `,
    right < all ? wrongButton(all - right, onWrong) : null,
  );
  const remark = evaluation.remark ? quietNote(evaluation.remark) : null;
  const parts = [confusionParts(confusion), scoreParts(confusion)];
  return refill(
    section,
    headline,
    ...(remark ? [remark] : []),
    element("div", { class: classes.length > MANY ? "many" : "columns" }, ...parts),
  );
}

function wrongButton(wrong, onWrong) {
  const text = `Step through the ${plural(wrong, "wrong row")}`;
  const button = element("button", { id: "step-wrong", type: "button" }, text);
  button.addEventListener("click", onWrong);
  return button;
}

function confusionParts(confusion) {
  const called = confusion.map((_, k) => sum(confusion.map((line) => line[k])));
  const columns = classes.map((_, k) => k).filter((k) => called[k] || k < tree.leafMass[0].length);
  const rows = confusion.map((line, k) => [
    classTag(k),
    ...columns.map((other) => confusionCell(line, k, other)),
  ]);
  const titles = ["label ↓  predicted →", ...columns.map((k) => classTag(k))];
  const matrix = table(titles, rows, { class: "confusion", id: "confusion" });
  return element("div", {}, element("h3", {}, "Confusion matrix"), matrix);
}

function confusionCell(line, k, other) {
  const share = line[other] / (sum(line) || 1);
  const cell = element(
    "span",
    { class: k === other ? "cell hit" : "cell miss" },
    line[other] ? count(line[other]) : "·",
  );
  cell.style.setProperty("--share", line[other] ? 12 + 60 * share : 0);
  return cell;
}

function scoreParts(confusion) {
  const rows = confusion.map((line, k) => {
    const support = sum(line);
    const called = sum(confusion.map((other) => other[k]));
    const precision = called ? line[k] / called : null;
    const recall = support ? line[k] / support : null;
    const f1 = called + support ? (2 * line[k]) / (called + support) : null;
    const shares = [precision, recall, f1].map((v) => (v === null ? "–" : percent(v)));
    return [classTag(k), ...[...shares, count(support)].map((text) => figure(text))];
  });
  const titles = ["Class", "precision", "recall", "F1", "support"];
  return element(
    "div",
    {},
    element("h3", {}, "Scores by class"),
    table(titles, rows, { id: "scores" }),
  );
}
