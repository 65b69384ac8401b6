// The splits in words, for the printed page.

const RULE_TERMS = 4;

function showRules(section) {
  const items = tree.splits.toSorted((a, b) => a - b).map((node) => element("li", { value: node }, ruleText(node)));
  refill(
    section,
    element("ol", {}, ...items),
    quietNote("Original units. “yes” leads from split t to node 2t + 1, “no” to node 2t."),
  );
}

function ruleText(node) {
  const { terms } = tree.questions.get(node);
  const [comparison, ...others] = questionLines(node, RULE_TERMS).reverse();
  const rest = sum(terms.slice(RULE_TERMS).map(({ influence }) => Math.abs(influence)));
  const more = rest ? ` (the others move the sum by at most ${number(rest)})` : "";
  const rows = plural(sum(arrivals(node)), "row");
  return `${[...others.reverse(), comparison].join(" ")}${more} · ${rows}`;
}
