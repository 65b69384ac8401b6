"""Finds what overlaps on a page, and what leaves its place."""

FAULTS = """() => {
  const SLACK = 1.5;
  const faults = [];
  const isShown = (item) => {
    const style = getComputedStyle(item);
    const box = item.getBoundingClientRect();
    return style.visibility !== 'hidden' && style.display !== 'none' && box.width && box.height
      && (!item.checkVisibility || item.checkVisibility());
  };
  const name = (item) => {
    const place = item.id ? '#' + item.id : item.getAttribute('class') ?? '';
    return `${item.tagName} ${place} "${item.textContent.trim().slice(0, 30)}"`;
  };
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > SLACK
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > SLACK;
  const within = (a, b) => a.left >= b.left - SLACK && a.right <= b.right + SLACK
    && a.top >= b.top - SLACK && a.bottom <= b.bottom + SLACK;
  const check = (items, box) => {
    const boxes = items.map((item) => item.getBoundingClientRect());
    items.forEach((item, i) => {
      if (box && !within(boxes[i], box)) faults.push(`${name(item)} leaves its parent`);
      for (let j = 0; j < i; j++) {
        if (meet(boxes[i], boxes[j])) faults.push(`${name(items[j])} overlaps ${name(item)}`);
      }
    });
  };
  // Boxes of HTML: each within its parent unless that one scrolls, and beside its siblings.
  const isInline = (item) => getComputedStyle(item).display === 'inline';
  const isSkip = (item) => item.matches('.skip, script, style, option, [hidden], svg *');
  for (const parent of document.querySelectorAll('body, body *:not(svg, svg *)')) {
    if (!isShown(parent) || isSkip(parent)) continue;
    const items = [...parent.children].filter((item) => isShown(item) && !isSkip(item));
    const scrolls = /auto|scroll/.test(getComputedStyle(parent).overflow);
    const inline = isInline(parent) || parent.matches('details, summary');
    const blocks = items.filter((item) => !isInline(item));
    check(blocks, scrolls || inline ? null : parent.getBoundingClientRect());
    if (parent.scrollWidth > parent.clientWidth + SLACK && !scrolls && !inline && parent.clientWidth
        && !parent.matches('select, input, .unseen, body, table, thead, tbody, tr')) {
      faults.push(`${name(parent)} holds more than its width`);
    }
  }
  // The picture: nodes apart, every text within its node; words at arrows clear of nodes.
  const nodes = [...document.querySelectorAll('.node')];
  const boxes = nodes.map((node) => node.querySelector('.box'));
  check(boxes, null);
  for (const node of nodes) {
    const texts = [...node.querySelectorAll(':scope > text, .fold')];
    check(texts, node.querySelector('.box').getBoundingClientRect());
  }
  check([...boxes, ...document.querySelectorAll('.edge text')], null);
  for (const chart of document.querySelectorAll('svg.chart')) {
    if (isShown(chart)) check([...chart.querySelectorAll('text')], chart.getBoundingClientRect());
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page scrolls sideways');
  return faults;
}"""


def faults(page):
    """Return a line for every element that overlaps another or leaves its place."""
    return page.evaluate(FAULTS)
