// Nothing here is needed to read the page: it filters and sorts its tables, and copies citations.
"use strict";

const PIECE = 100;
const NAMING = { claims: 4, pairs: 6, trends: 5, cells: 3 }; // cells of a row that say what it is
const form = document.getElementById("controls");
const rowsById = new Map();

// A section's rows, in the order in which they are shown; its pieces take a hundred each.
function makeTable(section) {
  const pieces = [...section.querySelectorAll(".piece")];
  if (!pieces.length) return null;
  const rows = [...section.querySelectorAll("tbody tr")];
  for (const row of rows) if (row.id) rowsById.set(row.id, row);
  return { section, pieces, rows, tokens: new Map() };
}

const tables = [...document.querySelectorAll("section.rows")].map(makeTable).filter(Boolean);

function texts(table, row) {
  let found = table.tokens.get(row);
  if (!found) {
    const cells = [...row.cells].map((cell) => cell.textContent.toLowerCase());
    found = { text: cells.join(" "), words: new Set(cells.join(" ").split(/[\s,()]+/)) };
    table.tokens.set(row, found);
  }
  return found;
}

function fill(table) {
  const data = new FormData(form);
  const words = data.get("words").toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = [...form.querySelectorAll("select")].map((s) => s.value.toLowerCase()).filter(Boolean);
  const shown = words.length + chosen.length === 0 ? table.rows : table.rows.filter((row) => {
    const { text, words: own } = texts(table, row);
    return words.every((word) => text.includes(word)) && chosen.every((word) => own.has(word));
  });
  table.pieces.forEach((piece, place) => {
    const part = shown.slice(place * PIECE, (place + 1) * PIECE);
    piece.querySelector("tbody").replaceChildren(...part);
    piece.hidden = place > 0 && !part.length;
  });
  const all = shown.length === table.rows.length;
  table.section.querySelector(".shown").textContent = all ? "" : `${shown.length} of ${table.rows.length} shown.`;
}

function value(row, column) {
  const text = row.cells[column].textContent.trim();
  const number = /^[-+]?\d[\d,.]*(?![\d-])/.test(text) && !/^\d{4}-/.test(text) ? parseFloat(text.replace(/,/g, "")) : NaN;
  return Number.isNaN(number) ? text : number;
}

const words = new Intl.Collator("en", { numeric: true });

function compare(a, b) {
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // NA comes after all numbers
  return typeof a === "number" ? a - b : words.compare(a, b);
}

function sort(table, header) {
  const down = header.getAttribute("aria-sort") === "ascending";
  const column = header.cellIndex;
  const keyed = table.rows.map((row) => [value(row, column), row]);
  keyed.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
  table.rows = keyed.map(([, row]) => row);
  for (const other of header.parentNode.cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
  fill(table);
}

function makeSortable(table) {
  for (const header of table.pieces[0].querySelectorAll("thead th")) {
    const button = document.createElement("button");
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(table, header));
    header.append(button);
  }
}

function archive(number) {
  const cells = [...document.getElementById(`a${number}`).cells].map((cell) => cell.textContent);
  return `archive ${cells[1]}, sha256 ${cells[2]}, measured ${cells[4]}`;
}

function cellName(row) {
  const [title, batch, column] = [...row.cells].map((cell) => cell.textContent);
  return `cell ${title}, batch ${batch}, ${column} of ${archive(row.dataset.a)}`;
}

function citation(link) {
  const own = link.closest("tr");
  const headers = own.closest("table").tHead.rows[0].cells;
  const what = headers[link.closest("td").cellIndex].textContent;
  const subject = [...own.cells].slice(0, NAMING[own.closest("section").id]).map((cell) => cell.textContent).filter(Boolean).join(", ");
  const cells = link.dataset.c ? link.dataset.c.split(" ").map((n) => `c${n}`) : link.dataset.a ? [] : [link.hash.slice(1)];
  const sources = cells.map((id) => cellName(rowsById.get(id)));
  if (link.dataset.a) sources.push(...link.dataset.a.split(" ").map(archive));
  return `Millistep atlas, ${subject}: ${what} ${link.textContent.trim()}. From ${sources.join("; ")}.`;
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a.n");
  if (!link) return;
  event.preventDefault();
  const text = citation(link);
  const copied = await navigator.clipboard.writeText(text).then(() => true, () => false);
  document.getElementById("cited").textContent = `${copied ? "Copied" : "To copy"}: ${text}`;
});

tables.forEach(makeSortable);
form.hidden = false;
form.addEventListener("input", () => tables.forEach(fill));
form.addEventListener("submit", (event) => event.preventDefault());
if (location.hash && document.getElementById(location.hash.slice(1))) document.getElementById(location.hash.slice(1)).scrollIntoView();
