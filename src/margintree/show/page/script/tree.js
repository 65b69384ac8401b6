"use strict";

// The tree and its arithmetic, as margintree.core.tree does it: features are scaled, and with products
// those of each pair of features follow; the value of a split is f = b + w z, summed in this order, and
// a row goes right when f >= 0. The root is node 1, the children of t are 2t and 2t + 1. Nothing here
// knows of the page.

class Tree {
  // `asked` is the same tree over raw features and their raw products, if it has products.
  constructor(data, shares, units, asked) {
    this.weights = data.weights;
    this.intercepts = data.intercepts;
    this.isSplitting = data.splits;
    this.leafClasses = data.leaf_classes;
    this.leafMass = data.leaf_mass;
    this.shares = shares;
    // Without a word on units, the sum of a split is its value.
    this.units = units ?? data.splits.map(() => 1);
    this.minimum = data.scaling.minimum;
    this.span = data.scaling.span;
    this.nLeaves = this.leafClasses.length;
    this.nFeatures = this.minimum.length;
    this.hasProducts = data.scaling.products ?? false;
    this.root = this.firstStop(1);
    this.splits = this.splitsFrom(this.root);
    this.questions = new Map(this.splits.map((node) => [node, new Question(asked ? { ...asked, ...asked.scaling } : this, node, this.units[node - 1])]));
  }

  // The splits that a row at this node can meet.
  splitsFrom(node) {
    if (this.isLeaf(node)) return [];
    const below = [2 * node, 2 * node + 1].map((child) => this.splitsFrom(this.firstStop(child)));
    return [node, ...below.flat()];
  }

  isLeaf(node) {
    return node >= this.nLeaves;
  }

  // The first node at or below `node` that splits or is a leaf.
  firstStop(node) {
    while (node < this.nLeaves && !this.isSplitting[node - 1]) node *= 2;
    return node;
  }

  // The nodes to which the answers "no" and "yes" lead.
  children(node) {
    return [this.firstStop(2 * node), this.firstStop(2 * node + 1)];
  }

  leafClass(leaf) {
    return this.leafClasses[leaf - this.nLeaves];
  }

  leafShares(leaf) {
    return this.shares[leaf - this.nLeaves];
  }

  // The training weight of every class that arrives at a node.
  mass(node) {
    if (this.isLeaf(node)) return this.leafMass[node - this.nLeaves];
    const [no, yes] = this.children(node).map((child) => this.mass(child));
    return no.map((weight, k) => weight + yes[k]);
  }

  scaled(row) {
    const columns = row.map((value, j) => (value - this.minimum[j]) / this.span[j]);
    if (!this.hasProducts) return columns;
    return [...columns, ...products(columns.map((value) => value - 0.5), 2)];
  }

  // What the questions add up: the features of a row and, if there are any, their products.
  terms(row) {
    return this.hasProducts ? [...row, ...products(row, 1)] : row;
  }

  // How much a feature, alone and in products, can move the value of a split.
  influence(node, feature) {
    const weights = this.weights[node - 1];
    const pairs = this.hasProducts ? pairsOf(this.nFeatures) : [];
    const inside = pairs.map(([i, j], k) => (i === feature || j === feature ? weights[this.nFeatures + k] : 0));
    return [weights[feature], ...inside].reduce((total, weight) => total + Math.abs(weight), 0);
  }

  value(node, scaledRow) {
    let sum = this.intercepts[node - 1];
    this.weights[node - 1].forEach((weight, j) => (sum += weight * scaledRow[j]));
    return sum;
  }

  // The splits that a row passes and the leaf at which it arrives.
  path(row) {
    const scaledRow = this.scaled(row);
    return this.walk((node) => this.value(node, scaledRow));
  }

  // The path of whatever has these values in the splits.
  walk(valueOf) {
    const path = [this.root];
    for (let node = this.root; !this.isLeaf(node); path.push(node)) {
      node = this.firstStop(2 * node + (valueOf(node) >= 0 ? 1 : 0));
    }
    return path;
  }

  predict(row) {
    return this.leafClass(this.path(row).at(-1));
  }
}

// All pairs of features, each with itself and those after it.
function pairsOf(n) {
  const all = Array.from({ length: n }, (_, j) => j);
  return all.flatMap((i) => all.slice(i).map((j) => [i, j]));
}

// The products of all pairs of values, times a factor, in the order of margintree.core.space.
const products = (values, factor) => pairsOf(values.length).map(([i, j]) => factor * values[i] * values[j]);

// Largest change of a split's value by rounding, as in margintree.show.export.wording.
const TOLERANCE = 5e-4;

// The largest size of a feature in the range of the training rows.
const reach = (tree, j) => Math.max(Math.abs(tree.minimum[j]), Math.abs(tree.minimum[j] + tree.span[j]));

// The features that a question writes: as in the printed rules, not those whose weights would be
// rounded to 0. Round numbers are written with all of them, unless a single feature is left.
function written(tree, weights, used, isRound) {
  const least = TOLERANCE / (1 + used.length);
  const large = used.filter((j) => Math.abs(weights[j] / tree.span[j]) * reach(tree, j) > least);
  return large.length === 0 || (isRound && large.length > 1) ? used : large;
}

// What a split asks, in original units: is the sum of coefficients times features at least the
// threshold? "yes" means that the value of the split is at least 0. A single feature is compared as
// it is, as in the printed rules: with a negative weight, "is it at most the threshold?"
class Question {
  constructor(tree, node, unit) {
    const weights = tree.weights[node - 1];
    const used = weights.map((_, j) => j).filter((j) => weights[j] !== 0);
    const order = written(tree, weights, used, unit !== 1);
    const largest = Math.max(...order.map((j) => Math.abs(weights[j])));
    // Weights that differ by less than a millionth of the largest keep the order of the features.
    const share = (j) => Math.floor((1e6 * Math.abs(weights[j])) / largest + 0.5);
    order.sort((i, j) => share(j) - share(i) || i - j);
    this.isSingle = order.length === 1;
    this.isAtMost = this.isSingle && weights[order[0]] < 0;
    // What the sum gains when the value of the split grows by 1: more or less than 1 for round numbers.
    this.unit = this.isSingle ? tree.span[order[0]] / weights[order[0]] : unit;
    this.terms = order.map((j) => ({
      feature: j,
      coefficient: this.isSingle ? 1 : (weights[j] / tree.span[j]) * this.unit,
      influence: weights[j],
    }));
    const shift = used.reduce((sum, j) => sum + (weights[j] / tree.span[j]) * tree.minimum[j], 0);
    this.threshold = (shift - tree.intercepts[node - 1]) * this.unit;
  }
}
