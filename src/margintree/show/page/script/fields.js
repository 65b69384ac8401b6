// The fields of the what-if form: a number with its slider, or a list to choose from. Of many columns
// only the most influential have a field until one searches for others.

const FIELDS_SHOWN = 30;

class Fields {
  // `onChange(column, value)` gets null for a missing cell, and NaN for what is not understood.
  constructor(onChange) {
    this.onChange = onChange;
    this.made = new Map();
    this.form = element("form", { class: "fields", "aria-label": "Values of the row" });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.isMany = encoding.columns.length > FIELDS_SHOWN;
  }

  // Of many columns, show those with the most influence in the tree.
  sort() {
    if (this.isMany) this.find();
  }

  parts() {
    if (!this.isMany) {
      this.list(encoding.columns.keys());
      return [this.form];
    }
    const name = { type: "search", id: "field-search", placeholder: "Search columns" };
    this.search = element("input", { ...name, "aria-label": "Search columns" });
    this.note = element("p", { class: "quiet", id: "field-note", "aria-live": "polite" });
    this.search.addEventListener("input", () => this.find());
    this.find();
    return [this.search, this.note, this.form];
  }

  find() {
    const wanted = this.search.value.trim().toLowerCase();
    const name = (column) => encoding.columns[column].name.toLowerCase();
    const found = columnsByInfluence().filter((column) => name(column).includes(wanted));
    const shown = found.slice(0, FIELDS_SHOWN);
    this.list(shown);
    const which = wanted ? "with these letters" : "";
    this.note.textContent =
      `${count(shown.length)} of ${plural(found.length, "column")} ${which}`.trim() +
      ", the most influential first.";
  }

  list(columns) {
    this.form.replaceChildren(...[...columns].map((column) => this.field(column).item));
    if (this.row) this.fill(this.row);
  }

  field(column) {
    if (!this.made.has(column)) this.made.set(column, this.make(column));
    return this.made.get(column);
  }

  make(column) {
    const { name } = encoding.columns[column];
    const choices = choicesOf(encoding.columns[column]);
    const id = `field-${column}`;
    const input = choices ? chooserOf(choices) : numberField(column);
    input.id = id;
    input.dataset.feature = column;
    const slider = choices ? null : sliderOf(column);
    const label = element("label", { for: id, title: name }, columnName(column));
    const field = { input, slider, item: element("div", {}, label, input, slider) };
    input.addEventListener("input", () => this.type(column, field));
    slider?.addEventListener("input", () => {
      input.value = shortText(slider.valueAsNumber);
      this.type(column, field);
    });
    return field;
  }

  type(column, { input, slider }) {
    const value = typedValue(input, encoding.columns[column]);
    input.setAttribute("aria-invalid", String(Number.isNaN(value)));
    if (slider && Number.isFinite(value)) setSlider(slider, value);
    this.onChange(column, value);
  }

  // Show the values of a row.
  fill(row) {
    this.row = row;
    for (const [column, field] of this.made) this.put(field, row[column]);
  }

  put({ input, slider }, value) {
    if (document.activeElement !== input) input.value = value === null ? "" : shortText(value);
    input.setAttribute("aria-invalid", "false");
    input.title = value ?? "missing";
    if (slider && value !== null) setSlider(slider, value);
  }
}

// All columns, those first that can move the splits most.
function columnsByInfluence() {
  const most = (feature) =>
    Math.max(0, ...tree.splits.map((node) => tree.influence(node, feature)));
  const influence = encoding.columns.map((_, j) => Math.max(...encoding.featuresOf(j).map(most)));
  return [...encoding.columns.keys()].sort((a, b) => influence[b] - influence[a] || a - b);
}

function chooserOf(choices) {
  const options = choices.map((text, value) => element("option", { value }, text));
  return element("select", {}, ...options, element("option", { value: "" }, "missing"));
}

// A field for a number; where a cell may be missing, it may be empty.
function numberField(column) {
  const hint = mayBeMissing(encoding.columns[column]) ? "missing" : null;
  const step = encoding.whole.has(column) ? 1 : "any";
  return element("input", { type: "number", step, placeholder: hint });
}

// A slider over the range of the training rows.
function sliderOf(column) {
  const place = encoding.places[column];
  const [low, span] = [tree.minimum[place], tree.span[place]];
  const step = encoding.whole.has(column) ? 1 : "any";
  const range = { type: "range", min: low, max: low + span, step };
  return element("input", { ...range, "aria-label": `${encoding.columns[column].name}, slider` });
}

// A value outside the range widens the slider.
function setSlider(slider, value) {
  slider.min = Math.min(slider.min, value);
  slider.max = Math.max(slider.max, value);
  slider.value = value;
}

const mayBeMissing = (column) => column.fill !== undefined;

// At most seven digits, for a field; the row keeps all.
const shortText = (value) =>
  String(value).length <= 9 ? String(value) : String(Number(value.toPrecision(7)));

// The value of a field: null where the cell is missing, NaN where the field cannot be understood.
function typedValue(input, column) {
  if (choicesOf(column)) return input.value === "" ? null : Number(input.value);
  const isEmpty = input.value === "" && !input.validity.badInput;
  return isEmpty && mayBeMissing(column) ? null : input.valueAsNumber;
}
