// For every column, the smallest change of its cell alone that changes the prediction, or null when
// there is none. Nothing here knows of the page.
//
// Along one number every split's value is a straight line or, with products, a parabola. So the
// prediction can only change where one of them crosses 0, and it is the same everywhere between two
// crossings.
function smallestChanges(tree, encoding, row) {
  const features = encoding.encoded(row);
  const values = splitValues(tree, features);
  const now = tree.leafClass(tree.walk((node) => values.get(node)).at(-1));
  return row.map((value, column) => {
    const { fill } = encoding.columns[column];
    const place = encoding.places[column];
    const change = choicesOf(encoding.columns[column])
      ? firstChoice(tree, encoding, row, now, column)
      : value === null
        ? firstNumber(tree, encoding, row.with(column, fill), now, column)
        : smallestMove(tree, features, values, now, place, encoding.whole.has(column));
    return change && { column, from: value, ...change };
  });
}

function splitValues(tree, features) {
  const scaledRow = tree.scaled(features);
  return new Map(tree.splits.map((node) => [node, tree.value(node, scaledRow)]));
}

// The first choice that changes the prediction; each is as far away as the other.
function firstChoice(tree, encoding, row, now, column) {
  const { levels, groups_others } = encoding.columns[column];
  const choices = choicesOf(encoding.columns[column]).map((_, choice) => choice);
  const known = choices.filter((choice) => groups_others || choice !== levels?.length);
  for (const to of known) {
    const label = tree.predict(encoding.encoded(row.with(column, to)));
    if (label !== now) return { to, crossing: to, label, distance: 1 };
  }
  return null;
}

// The change from a missing number, which counted as the one that is in the features now.
function firstNumber(tree, encoding, row, now, column) {
  const features = encoding.encoded(row);
  const place = encoding.places[column];
  const to = features[place];
  const label = tree.predict(features);
  if (label !== now) return { to, crossing: to, label, distance: 0 };
  const values = splitValues(tree, features);
  return smallestMove(tree, features, values, now, place, encoding.whole.has(column));
}

// The smallest move of one feature, up or down; that of a whole number in whole steps.
function smallestMove(tree, features, values, now, place, isWhole) {
  const first = isWhole ? firstWholeChange : firstChange;
  const both = [1, -1].map((way) => first(tree, features, values, now, place, way));
  const found = both.filter((change) => change !== null);
  found.sort((a, b) => a.distance - b.distance);
  return found[0] ?? null;
}

// The values of all splits along the way up (1) or down (-1): c + b d + a d^2 at a distance d, in units
// of the feature's span.
function curvesOn(tree, row, values, feature, way) {
  const at = (distance) => tree.scaled(row.with(feature, row[feature] + distance * tree.span[feature]));
  const [ahead, back] = tree.hasProducts ? [at(way), at(-way)] : [];
  return new Map(
    tree.splits.map((node) => {
      const c = values.get(node);
      if (!tree.hasProducts) return [node, { a: 0, b: way * tree.weights[node - 1][feature], c }];
      const [up, down] = [tree.value(node, ahead), tree.value(node, back)];
      return [node, { a: (up + down) / 2 - c, b: (up - down) / 2, c }];
    }),
  );
}

// The distances at which some split changes sides, the nearest first.
function crossingsOn(curves) {
  const all = [...curves.values()].flatMap(roots).filter((distance) => distance >= 0);
  return all.sort((one, other) => one - other);
}

// Where c + b d + a d^2 is 0. What rounding leaves of a is no parabola.
function roots({ a, b, c }) {
  if (Math.abs(a) <= 1e-12 * (Math.abs(b) + Math.abs(c))) return b === 0 ? [] : [-c / b];
  const inner = b * b - 4 * a * c;
  if (inner < 0) return [];
  const half = -(b + (b < 0 ? -1 : 1) * Math.sqrt(inner)) / 2;
  return half === 0 ? [0] : [half / a, c / half];
}

// The first whole number on the way that changes the prediction: one next to a crossing.
function firstWholeChange(tree, row, values, now, feature, way) {
  const span = tree.span[feature];
  for (const near of crossingsOn(curvesOn(tree, row, values, feature, way))) {
    const crossing = row[feature] + way * near * span;
    const next = way > 0 ? Math.ceil(crossing) : Math.floor(crossing);
    for (const to of [next, next + way]) {
      const label = tree.predict(row.with(feature, to));
      if (label !== now) return { crossing, to, label, distance: Math.abs(to - row[feature]) / span };
    }
  }
  return null;
}

// The first change on the way up (1) or down (-1).
function firstChange(tree, row, values, now, feature, way) {
  const curves = curvesOn(tree, row, values, feature, way);
  const raw = (distance) => row[feature] + way * distance * tree.span[feature];
  const crossings = crossingsOn(curves);
  for (const [i, near] of crossings.entries()) {
    const middle = (near + (crossings[i + 1] ?? near + 1)) / 2;
    const at = ({ a, b, c }) => c + (b + a * middle) * middle;
    const path = tree.walk((node) => at(curves.get(node)));
    const label = tree.leafClass(path.at(-1));
    if (label === now) continue;
    const isThere = (value) => tree.predict(row.with(feature, value)) === label;
    const to = roundBeyond(raw(near), raw(Math.min(middle, near + 0.01)), isThere);
    if (to === null) continue;
    return { crossing: raw(near), to, label, distance: near };
  }
  return null;
}

// The number of fewest digits from `edge` on, not beyond `limit`, that passes the test.
function roundBeyond(edge, limit, passes) {
  const direction = Math.sign(limit - edge);
  for (let digits = 1; digits <= 17; digits++) {
    const unit = 10 ** (Math.floor(Math.log10(Math.abs(edge) || Math.abs(limit))) - digits + 1);
    const round = direction > 0 ? Math.ceil : Math.floor;
    const value = Number((round(edge / unit) * unit).toPrecision(digits + 1));
    if ((limit - value) * direction >= 0 && passes(value)) return value;
  }
  return passes(limit) ? limit : null;
}
