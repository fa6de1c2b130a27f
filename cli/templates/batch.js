(() => {
  const table = document.querySelector("table.models");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  let texts = null; // read at the first search
  const bar = document.querySelector("#filter");
  const search = bar.querySelector("input");
  const shown = bar.querySelector("output");
  const column = (name) => heads.indexOf(name);
  const cell = (td) => (td.querySelector("summary") ?? td).textContent.trim();
  const key = (row, at) => row.cells[at].dataset.key ?? row.cells[at].textContent;

  // A list of values for each column with few of them.
  const choices = [];
  for (const name of ["language", "family", "verdict", "shape"]) {
    const at = column(name);
    if (at < 0) continue;
    const values = [...new Set(rows.map((row) => key(row, at)))].sort();
    if (values.length < 2) continue;
    const select = document.createElement("select");
    select.setAttribute("aria-label", name);
    select.append(new Option("any " + name, "*"), ...values.map((value) => new Option(value || "none", value)));
    select.addEventListener("change", () => filter());
    search.after(select);
    choices.push([select, at]);
  }
  // A browser takes its time to lay out thousands of rows: others follow when the table is scrolled to them.
  const portion = 100;
  let most = portion;
  let fitting = new Set(rows);
  const more = document.createElement("button");
  more.type = "button";
  more.addEventListener("click", () => show(Infinity));
  shown.after(more);
  const show = (limit) => {
    most = limit;
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = fitting.has(row);
      if (fits) count += 1;
      row.hidden = !fits || count > most;
    }
    shown.textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
    more.textContent = `show all ${count}`;
    more.hidden = count <= most;
  };
  const pane = table.closest(".rows");
  pane.addEventListener("scroll", () => {
    const below = pane.scrollHeight - pane.scrollTop - pane.clientHeight;
    if (!more.hidden && below < 2 * pane.clientHeight) show(2 * most);
  }, { passive: true });
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const picked = choices.filter(([select]) => select.value !== "*");
    if (words.length > 0) texts ??= rows.map((row) => row.textContent.toLowerCase());
    fitting = new Set(rows.filter((row, index) => words.every((word) => texts[index].includes(word)) &&
      picked.every(([select, at]) => key(row, at) === select.value)));
    pane.scrollTop = 0;
    show(portion);
  };
  // Letters that are typed while a frame is drawn are one search.
  let frame = 0;
  search.addEventListener("input", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(filter);
  });
  table.addEventListener("sorted", () => show(most));
  bar.hidden = false;
  const asked = /[#&]find=([^&]*)/.exec(location.hash);
  if (asked) search.value = decodeURIComponent(asked[1]);
  filter();
  table.classList.add("ready"); // from here on the script says which rows are shown

  // Points of charts lead to their rows, wherever these stand.
  const names = new Map(rows.map((row) => [row.dataset.name, row]));
  for (const point of document.querySelectorAll(".plot .point")) {
    if (point.parentNode.localName === "a") continue;
    const label = point.querySelector("title")?.textContent ?? "";
    const row = names.get(label.slice(0, label.lastIndexOf(": ")));
    if (!row) continue;
    const link = document.createElementNS("http://www.w3.org/2000/svg", "a");
    link.setAttribute("href", "#" + row.id);
    point.replaceWith(link);
    link.append(point);
  }
  // The search for its name and its values leaves it on top, whatever the order is and however many rows there are.
  const lead = (row) => {
    const values = column("constants");
    search.value = [cell(row.cells[0]), values < 0 ? "" : cell(row.cells[values])].join(" ").trim();
    choices.forEach(([select]) => (select.value = "*"));
    filter();
    const entry = row.querySelector("details");
    if (entry) entry.open = true;
  };
  document.querySelector(".plots")?.addEventListener("click", (event) => {
    const id = event.target.closest("a")?.getAttribute("href")?.slice(1);
    const row = id && document.getElementById(id);
    if (row) lead(row);
  });
  const named = /^#r\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
  if (named) {
    lead(named);
    named.scrollIntoView();
  }

  // Files from what is shown.
  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const lines = () => [...table.tBodies[0].rows].filter((row) => fitting.has(row)).map((row) => [...row.cells].map(cell));
  const numeric = [...table.tHead.rows[0].cells].map((head) => head.classList.contains("number"));
  const quoted = (text) => {
    const safe = /^[=+@\t]|^-[^\d]/.test(text) ? "'" + text : text;
    return /[",\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  const signs = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };
  const latex = (text) => text.replace(/[\\~^&%$#_{}]/g, (sign) => signs[sign] ?? "\\" + sign);
  const bars = (text) => text.replace(/[&<>|`*_[\]#~@\\$"]/g, (sign) => `&#${sign.codePointAt(0)};`);
  const writers = {
    CSV: ["rows.csv", "text/csv", () => [heads, ...lines()].map((line) => line.map(quoted).join(",")).join("\n") + "\n"],
    LaTeX: ["rows.tex", "text/x-tex", () => {
      const line = (cells) => "  " + cells.map(latex).join(" & ") + " \\\\";
      const columns = numeric.map((is) => (is ? "r" : "l")).join("");
      return ["\\begin{tabular}{" + columns + "}", "  \\toprule", line(heads), "  \\midrule", ...lines().map(line),
        "  \\bottomrule", "\\end{tabular}", ""].join("\n");
    }],
    Markdown: ["rows.md", "text/markdown", () => {
      const line = (cells) => "| " + cells.map(bars).join(" | ") + " |";
      return [line(heads), "|" + numeric.map((is) => (is ? "---:" : "---")).join("|") + "|", ...lines().map(line), ""].join("\n");
    }],
  };
  const button = (text, act) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
  };
  for (const [name, [file, type, write]] of Object.entries(writers)) {
    bar.append(button(name, () => save(file, type, write())));
  }
  const style = [...document.querySelectorAll("style")].map((one) => one.textContent).join("\n");
  for (const figure of document.querySelectorAll(".plots figure")) {
    const drawing = figure.querySelector("svg");
    const name = (figure.querySelector("figcaption")?.textContent ?? "figure").trim().toLowerCase().replace(/[^a-z0-9]+/g, "-");
    figure.append(button("SVG", () => {
      const copy = drawing.cloneNode(true);
      copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
      const own = document.createElementNS("http://www.w3.org/2000/svg", "style");
      own.textContent = style;
      copy.prepend(own);
      save(name + ".svg", "image/svg+xml", new XMLSerializer().serializeToString(copy));
    }));
  }
})();
