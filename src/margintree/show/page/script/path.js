// The trees of a path, from many features to few, and the slider that switches between them.

// `onTurn()` is called when the page has turned to another tree.
function startPath(section, onTurn) {
  if (!content.path) return;
  const slider = byId("stop");
  slider.max = stops.length - 1;
  slider.value = content.path.shown;
  byId("stops").append(pathTable());
  slider.addEventListener("input", () => {
    turnTo(slider.valueAsNumber);
    tellStop(slider);
    onTurn();
  });
  section.hidden = false;
  tellStop(slider);
}

function pathTable() {
  const titles = ["Tree", "splits", "coefficients", "features", "rows here", "rows left out"];
  const rows = stops.map((stop) => {
    const sizes = [stop.splits, stop.coefficients, stop.features].map(count);
    const figures = [...sizes, accuracyOf(stop), scoreOf(stop)];
    return [stop.name, ...figures.map((text) => figure(text))];
  });
  return table(titles, rows);
}

function tellStop(slider) {
  const stop = stops[slider.valueAsNumber];
  const sizes = [
    plural(stop.splits, "split"),
    plural(stop.coefficients, "coefficient"),
    plural(stop.features, "feature"),
  ];
  byId("stop-name").textContent = stop.name;
  byId("stop-scores").textContent =
    `${sizes.join(", ")}. Accuracy on the rows of this report: ${accuracyOf(stop)}. ` +
    `Mean score on rows left out: ${scoreOf(stop)}.`;
  slider.setAttribute("aria-valuetext", stop.name);
  for (const [k, row] of byId("stops").querySelectorAll("tbody tr").entries()) {
    row.setAttribute("aria-current", String(k === slider.valueAsNumber));
  }
}

function accuracyOf({ evaluation: { confusion, n_rows: all } }) {
  return percent(sum(confusion.map((line, k) => line[k])) / all);
}

// A mean score with its standard error, if that is known. Shares of rows are written in per cent.
function scoreOf({ score, error }) {
  if (score === null) return "unknown";
  const isShare = stops.every((stop) => stop.score >= 0 && stop.score <= 1);
  const written = isShare ? percent : number;
  return written(score) + (error === null ? "" : ` ± ${written(error)}`);
}
