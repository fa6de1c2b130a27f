for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const key = (row, column) => row.cells[column].dataset.key ?? row.cells[column].textContent.trim();
  const sort = (column, down) => {
    const numeric = heads[column].classList.contains("number");
    const texts = new Intl.Collator();
    const rows = [...body.rows].map((row) => [key(row, column), row]);
    rows.sort(([x], [y]) => {
      if (x === "" || y === "") return x === y ? 0 : x === "" ? 1 : -1;
      const order = numeric ? Number(x) - Number(y) : texts.compare(x, y);
      return down ? -order : order;
    });
    // Rows of a body that is not part of the page are moved without a layout.
    const place = document.createComment("");
    body.replaceWith(place);
    body.append(...rows.map(([, row]) => row));
    place.replaceWith(body);
    table.dispatchEvent(new Event("sorted"));
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  };
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(column, head.getAttribute("aria-sort") === "ascending"));
    head.append(button);
  });
  const asked = /^#sort=(-?)(\d+)$/.exec(location.hash);
  if (asked && Number(asked[2]) < heads.length) sort(Number(asked[2]), asked[1] === "-");
}
