// One row and its way through the tree: chosen from the table, or with values of one's own.

const STEPS_TERMS_SHOWN = 6;
const CHANGES_SHOWN = 4;

class RowPanel {
  constructor(panel, drawing) {
    this.drawing = drawing;
    this.rows = content.evaluation?.rows ?? { numbers: [], values: [], labels: [] };
    this.fields = new Fields((column, value) => this.change(column, value));
    this.outcome = element("div", { class: "outcome", "aria-live": "polite" });
    this.about = element("p", { class: "quiet", id: "about-row" });
    this.back = element("button", { id: "row-reset", type: "button", hidden: "" }, "Back to the row");
    this.back.addEventListener("click", () => this.choose(this.last));
    panel.append(
      element("h2", { class: "unseen" }, "Row and what if"),
      ...(this.rows.numbers.length ? [this.chooser()] : []),
      this.about,
      this.back,
      element("h3", { id: "what-if" }, "What if? Change any values"),
      ...this.fields.parts(),
      this.outcome,
    );
  }

  // The first row, or the middle of the box where no rows are known.
  start() {
    if (this.row) return this.follow(this.row, this.chosen);
    if (this.rows.numbers.length) return this.choose(0);
    const middle = (j) => tree.minimum[j] + tree.span[j] / 2;
    const start = (column, j) => (choicesOf(column) ? 0 : middle(encoding.places[j]));
    return this.follow(encoding.columns.map(start), null);
  }

  // Tell the same of the tree that the page has turned to.
  renew() {
    if (this.filter) this.countWrong();
    this.fields.sort();
    if (this.row) this.follow(this.row, this.chosen);
  }

  // The first of the rows that are predicted wrong.
  startWrong() {
    this.filter.value = "wrong";
    this.step(0);
  }

  chooser() {
    const last = evaluation.n_rows;
    this.input = element("input", { id: "row-number", type: "number", min: 1, max: last, step: 1 });
    this.input.addEventListener("change", () =>
      this.choose(this.nearest(this.input.valueAsNumber)),
    );
    this.wrong = element("option", { value: "wrong" });
    this.filter = element(
      "select",
      { id: "row-filter", "aria-label": "Which rows" },
      element("option", { value: "all" }, "all rows"),
      this.wrong,
    );
    this.countWrong();
    this.filter.addEventListener("change", () => this.step(0));
    const step = (id, text, name, by) => {
      const button = element("button", { id, type: "button", "aria-label": name }, text);
      button.addEventListener("click", () => this.step(by));
      return button;
    };
    return element(
      "div",
      { class: "chooser" },
      element("label", { for: "row-number" }, "Row"),
      step("row-back", "‹", "Previous row", -1),
      this.input,
      step("row-on", "›", "Next row", 1),
      this.filter,
    );
  }

  // The position of the row to choose from whose number is closest to the one asked for.
  nearest(asked) {
    const wanted = Number.isFinite(asked) ? asked - 1 : 0;
    const away = (i) => Math.abs(this.rows.numbers[i] - wanted);
    return this.rows.numbers.reduce((best, _, i) => (away(i) < away(best) ? i : best), 0);
  }

  countWrong() {
    const wrong = this.rows.numbers.filter((_, i) => this.isWrong(i)).length;
    this.wrong.textContent = `wrong rows (${count(wrong)})`;
  }

  isWrong(position) {
    const features = encoding.encoded(this.rows.values[position]);
    return tree.predict(features) !== this.rows.labels[position];
  }

  // Go to the next row that the filter lets through; 0 stays if it does.
  step(by) {
    const passes = (i) => this.filter.value === "all" || this.isWrong(i);
    const at = this.chosen ?? this.last ?? 0;
    const n = this.rows.numbers.length;
    for (let away = by === 0 ? 0 : 1; away <= n; away++) {
      const position = (at + away * (by || 1) + n * away) % n;
      if (passes(position)) return this.choose(position);
    }
    return this.about.replaceChildren("None of the rows that you can choose is misclassified.");
  }

  choose(position) {
    this.last = position;
    this.input.value = this.rows.numbers[position] + 1;
    this.follow(this.rows.values[position], position);
  }

  // One value changes; the others stay.
  change(column, value) {
    if (Number.isNaN(value)) return this.about.replaceChildren("Every field needs a number.");
    const row = this.row.with(column, value);
    const base = this.rows.values[this.last];
    const isBase = base?.every((known, j) => known === row[j]) ?? false;
    return this.follow(row, isBase ? this.last : null);
  }

  follow(row, chosen) {
    this.row = row;
    this.chosen = chosen;
    this.fields.fill(row);
    const features = encoding.encoded(row);
    const path = tree.path(features);
    this.drawing.highlight(path);
    this.about.replaceChildren(this.aboutRow());
    this.back.hidden = chosen !== null || this.last === undefined;
    this.outcome.replaceChildren(
      ...verdictParts(path.at(-1), this.label()),
      ...this.changeParts(),
      element("h3", {}, "Path, step by step"),
      ...path.slice(0, -1).map((node, i) => stepPart(features, node, path[i + 1])),
    );
  }

  label() {
    return this.chosen === null ? null : this.rows.labels[this.chosen];
  }

  aboutRow() {
    if (this.chosen === null) return this.aboutOwn();
    const { numbers } = this.rows;
    const all = evaluation.n_rows;
    const text = `Row ${count(numbers[this.chosen] + 1)} of ${count(all)}.`;
    if (numbers.length === all) return text;
    const sample = `${count(numbers.length)} evenly spaced rows of ${count(all)}`;
    return `${text} You can choose from ${sample}; all scores and counts are over all rows.`;
  }

  aboutOwn() {
    if (this.last === undefined) return "These are your own values.";
    const base = this.rows.values[this.last];
    const changed = [...base.keys()].filter((j) => base[j] !== this.row[j]);
    const told = changed.slice(0, 3).map((j) => {
      const [from, to] = [base[j], this.row[j]].map((v) => cellText(j, v, exactNumber));
      return `${encoding.columns[j].name} ${from} → ${to}`;
    });
    const rest = changed.length > 3 ? `, and ${changed.length - 3} more` : "";
    return `These are your own values: row ${count(this.rows.numbers[this.last] + 1)} with ${told.join(", ")}${rest}.`;
  }

  changeParts() {
    const changes = smallestChanges(tree, encoding, this.row).filter((change) => change !== null);
    changes.sort((a, b) => a.distance - b.distance);
    const title = element("h3", {}, "Smallest change of one feature");
    if (!changes.length) {
      const none = "None: no change of a single feature changes this prediction.";
      return [title, element("p", { id: "smallest-change", class: "none" }, none)];
    }
    const rows = changes.map((change) => this.changeRow(change));
    const titles = ["Feature", "from", "to", "gives", "try it"];
    const without = encoding.columns.length - changes.length;
    const note =
      "Smallest first, relative to the training range of the feature; * is outside this range.";
    const rest = without ? ` ${plural(without, "other feature")} alone cannot change it.` : "";
    return [
      title,
      ...folded(
        rows,
        CHANGES_SHOWN,
        (some) => table(titles, some, { class: "changes" }),
        "features",
      ),
      quietNote(note + rest),
    ];
  }

  changeRow(change) {
    const { column, from, to, label, crossing } = change;
    const shown = cellText(column, to, exactNumber);
    const name = `Try ${encoding.columns[column].name} = ${shown}`;
    const data = {
      "data-feature": column,
      "data-to": to,
      "data-crossing": crossing,
      "data-label": label,
    };
    const button = element(
      "button",
      { type: "button", class: "try", "aria-label": name, ...data },
      "try",
    );
    button.addEventListener("click", () => this.follow(this.row.with(column, to), null));
    const place = encoding.places[column];
    const isOutside = to < tree.minimum[place] || to > tree.minimum[place] + tree.span[place];
    const isFar = isOutside && !choicesOf(encoding.columns[column]);
    const meaning = "outside the range of the training rows";
    const mark = isFar ? element("abbr", { title: meaning }, "*") : null;
    const start = figure(cellText(column, from, number));
    return [columnName(column), start, figure(shown, mark), classTag(label), button];
  }
}

// What a cell says, as `write` writes numbers.
function cellText(column, value, write) {
  const choices = choicesOf(encoding.columns[column]);
  return value === null ? "missing" : choices ? choices[value] : write(value);
}

function verdictParts(leaf, label) {
  const predicted = tree.leafClass(leaf);
  const verdict = element(
    "p",
    { class: "verdict", id: "verdict", "data-class": predicted },
    "Predicted ",
    classTag(predicted),
  );
  if (label !== null) {
    const isRight = label === predicted;
    const mark = element(
      "span",
      { class: isRight ? "right" : "wrong" },
      isRight ? "✓ as labelled" : "✗ labelled ",
    );
    verdict.append(mark);
    if (!isRight) verdict.append(classTag(label));
  }
  const note = quietNote(`Leaf ${leaf}. Class shares of the training rows there:`);
  return [verdict, note, classBars(tree.leafShares(leaf), (share) => percent(share))];
}

// One split on the way: the sum, term by term.
function stepPart(row, node, next) {
  const { terms, threshold, isSingle, isAtMost } = tree.questions.get(node);
  const values = tree.terms(row);
  const parts = terms.map((term) => ({ ...term, amount: term.coefficient * values[term.feature] }));
  parts.sort((a, b) => Math.abs(b.amount) - Math.abs(a.amount));
  const total = number(sum(parts.map(({ amount }) => amount)));
  const isYes = tree.children(node)[1] === next;
  const name = isSingle ? `${features[terms[0].feature]} ` : "";
  const comparison = asksCondition(node)
    ? "? "
    : `${total} ${comparisonSign(isYes, isAtMost)} ${number(threshold)}, `;
  return element(
    "section",
    { class: "step", "data-step": node },
    element(
      "h4",
      {},
      `${nodeName(node)}: `,
      name,
      comparison,
      element("strong", {}, isYes ? "yes" : "no"),
    ),
    ...(isSingle ? [] : sumParts(values, parts)),
  );
}

function comparisonSign(isYes, isAtMost) {
  return isYes ? (isAtMost ? "≤" : "≥") : isAtMost ? ">" : "<";
}

function sumParts(values, parts) {
  const shown = (j) => (conditions.has(j) ? (values[j] ? "yes" : "no") : number(values[j]));
  const rows = parts.map(({ feature, coefficient, amount }) => [
    featureName(feature),
    ...[shown(feature), number(coefficient), number(amount)].map((text) => figure(text)),
  ]);
  const titles = ["Feature", "value", "× coefficient", "= term"];
  return folded(
    rows,
    STEPS_TERMS_SHOWN,
    (some) => table(titles, some, { class: "terms" }),
    "terms",
  );
}
