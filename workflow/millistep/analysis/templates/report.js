// The page works without this script, which opens the targets of links and sorts tables.
"use strict";

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = target && target.closest("details:not([open])");
  if (closed) {
    closed.open = true;
    target.scrollIntoView();
  }
}

function value(row, column) {
  const text = row.cells[column].textContent.trim();
  const number = parseFloat(text.replace(/,/g, ""));
  return Number.isNaN(number) ? text : number;
}

function compare(a, b, sign) {
  if (typeof a === typeof b) return a < b ? -sign : a > b ? sign : 0;
  return typeof a === "number" ? -1 : 1; // texts such as NA come after all numbers
}

function sort(header) {
  const table = header.closest("table");
  const body = table.tBodies[0];
  const down = header.getAttribute("aria-sort") === "ascending";
  body.append(...[...body.rows].sort((a, b) =>
    compare(value(a, header.cellIndex), value(b, header.cellIndex), down ? -1 : 1)));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", down ? "descending" : "ascending");
}

function makeSortable(table) {
  if (table.tBodies[0].rows.length < 2) return;
  for (const header of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.append(...header.childNodes);
    button.addEventListener("click", () => sort(header));
    header.append(button);
  }
}

document.querySelectorAll("table").forEach(makeSortable);
addEventListener("hashchange", reveal);
reveal();
