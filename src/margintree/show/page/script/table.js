// How the values of a row become the features of the tree, as margintree.data.preprocessing does it. The
// value of a cell is a number, the position of a level, the number of levels for any other text, or
// null where the cell is missing. Nothing here knows of the page.

class Encoding {
  // `whole` lists the columns that hold nothing but whole numbers.
  constructor(columns, whole = []) {
    this.columns = columns;
    this.whole = new Set(whole);
    // Where the features of every column begin.
    this.places = [];
    columns.reduce((place, column) => {
      this.places.push(place);
      return place + encodedCell(column, 0).length;
    }, 0);
  }

  // Columns of numbers that are features as they are, and never missing.
  static ofNumbers(names, whole) {
    return new Encoding(names.map((name) => ({ kind: "number", name })), whole);
  }

  // The features that are made from a column.
  featuresOf(column) {
    const first = this.places[column];
    const n = encodedCell(this.columns[column], 0).length;
    return Array.from({ length: n }, (_, i) => first + i);
  }

  encoded(row) {
    return row.flatMap((value, j) => encodedCell(this.columns[j], value));
  }
}

function encodedCell(column, value) {
  const features = column.kind === "category" ? levelFeatures(column, value) : [value ?? column.fill];
  if (column.marks_missing) features.push(Number(value === null));
  return features;
}

function levelFeatures({ levels, baseline, groups_others }, value) {
  const features = levels.flatMap((level, i) => (level === baseline ? [] : [Number(value === i)]));
  if (groups_others) features.push(Number(value === levels.length));
  return features;
}

// The texts among which one chooses, by value; null for a number.
function choicesOf(column) {
  if (column.kind === "number") return null;
  return column.kind === "boolean" ? ["false", "true"] : [...column.levels, "another"];
}
