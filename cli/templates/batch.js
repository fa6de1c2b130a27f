(() => {
  const table = document.querySelector("table.models");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const bar = document.querySelector("#filter");
  const search = bar.querySelector("input");
  const shown = bar.querySelector("output");
  const column = (name) => heads.indexOf(name);
  const key = (row, at) => row.cells[at].dataset.key ?? "";

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
  // A browser lays out some hundreds of rows at once; the others follow on request.
  const most = 300;
  let all = false;
  let fitting = new Set(rows);
  const more = document.createElement("button");
  more.type = "button";
  more.addEventListener("click", () => {
    all = true;
    show();
  });
  shown.after(more);
  const show = () => {
    let count = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = fitting.has(row);
      if (fits) count += 1;
      row.hidden = !fits || (!all && count > most);
    }
    shown.textContent = count === rows.length ? `${count} rows` : `${count} of ${rows.length} rows`;
    more.textContent = `show all ${count}`;
    more.hidden = all || count <= most;
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const picked = choices.filter(([select]) => select.value !== "*");
    fitting = new Set(rows.filter((row, index) => words.every((word) => texts[index].includes(word)) &&
      picked.every(([select, at]) => key(row, at) === select.value)));
    show();
  };
  search.addEventListener("input", filter);
  table.addEventListener("sorted", show);
  bar.hidden = false;
  const asked = /[#&]find=([^&]*)/.exec(location.hash);
  if (asked) search.value = decodeURIComponent(asked[1]);
  filter();

  // Points of charts lead to their rows.
  const places = new Map(rows.map((row) => [row.dataset.name, row]));
  for (const point of document.querySelectorAll(".plot .point")) {
    const label = point.querySelector("title")?.textContent ?? "";
    const row = places.get(label.slice(0, label.lastIndexOf(": ")));
    if (!row) continue;
    const link = document.createElementNS("http://www.w3.org/2000/svg", "a");
    link.setAttribute("href", "#" + row.id);
    point.replaceWith(link);
    link.append(point);
    link.addEventListener("click", () => {
      search.value = "";
      choices.forEach(([select]) => (select.value = "*"));
      filter();
      row.hidden = false;
      const entry = row.querySelector("details");
      if (entry) entry.open = true;
    });
  }

  // Files from what is shown.
  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const cell = (td) => (td.querySelector("summary") ?? td).textContent.trim();
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
