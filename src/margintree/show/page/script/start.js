// Put the page together.

const TABS = ["node", "row"];

function openTab(name) {
  for (const other of TABS) {
    const isOpen = other === name;
    byId(`tab-${other}`).setAttribute("aria-selected", String(isOpen));
    byId(`tab-${other}`).setAttribute("tabindex", isOpen ? "0" : "-1");
    byId(`panel-${other}`).hidden = !isOpen;
  }
}

function startTabs(onRow) {
  const open = (name) => {
    openTab(name);
    if (name === "row") onRow();
  };
  for (const [i, name] of TABS.entries()) {
    const tab = byId(`tab-${name}`);
    tab.addEventListener("click", () => open(name));
    tab.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      const other = TABS[(i + 1) % TABS.length];
      open(other);
      byId(`tab-${other}`).focus();
    });
  }
}

function startTheme() {
  const button = byId("theme");
  const root = document.documentElement;
  let isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const show = () => {
    root.style.colorScheme = isDark ? "dark" : "light";
    root.dataset.theme = isDark ? "dark" : "light";
    button.textContent = isDark ? "☀ Light" : "☾ Dark";
    button.setAttribute("aria-label", isDark ? "Use light colours" : "Use dark colours");
  };
  button.addEventListener("click", () => {
    isDark = !isDark;
    show();
  });
  show();
}

function startZoom(drawing) {
  const zooms = {
    "zoom-out": () => drawing.zoom / 1.25,
    "zoom-in": () => drawing.zoom * 1.25,
    "zoom-fit": () => drawing.wholeZoom(),
  };
  for (const [id, zoom] of Object.entries(zooms)) {
    byId(id).addEventListener("click", () => drawing.resize(zoom()));
  }
  byId("fold-all").addEventListener("click", () => {
    drawing.foldAll();
    showFolding(drawing);
  });
}

function showFolding(drawing) {
  byId("fold-all").hidden = drawing.isHanging;
  byId("fold-keys").hidden = drawing.isHanging;
  byId("fold-all").textContent = drawing.folded.size ? "Unfold all" : "Fold";
}

function summary() {
  const parts = [
    plural(tree.splits.length, "split"),
    plural(tree.splits.length + 1, "leaf", "leaves"),
    report.columns ? plural(report.columns.length, "column") : plural(tree.nFeatures, "feature"),
    plural(tree.leafMass[0].length, "class", "classes"),
  ];
  if (evaluation) parts.push(plural(evaluation.n_rows, "row"));
  return parts.join(" · ");
}

function startPage() {
  startTheme();
  byId("legend").append(...classes.map((_, k) => element("li", {}, classTag(k))));
  const drawing = new Drawing(byId("canvas"), (node) => {
    openTab("node");
    showNode(byId("panel-node"), node);
  });
  byId("counts").textContent = evaluation
    ? `A leaf counts the rows of its class and all rows there, of the ${plural(evaluation.n_rows, "row")} of this report.`
    : "A leaf counts the training rows of its class and all training rows there.";
  const rows = new RowPanel(byId("panel-row"), drawing);
  startTabs(() => rows.start());
  startZoom(drawing);
  const stepWrong = () => {
    openTab("row");
    rows.startWrong();
    byId("inspector").focus();
  };
  showTree(drawing, stepWrong);
  startPath(byId("path"), () => {
    drawing.start();
    showTree(drawing, stepWrong);
    showNode(byId("panel-node"), tree.root);
    rows.renew();
  });
  drawing.open(tree.root);
}

// What the page says of a tree beside its picture and its details.
function showTree(drawing, stepWrong) {
  byId("summary").textContent = summary();
  showFolding(drawing);
  showQuality(byId("quality"), stepWrong);
  showFit(byId("fit"));
  showRules(byId("rules"));
}

startPage();
