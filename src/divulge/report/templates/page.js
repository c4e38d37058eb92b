"use strict";
// The page says everything without this script. It lets tables be sorted and opens what is folded.

const text = (cell) => cell.dataset.value ?? cell.textContent.trim();

function compare(one, other) {
  if (one === "" || other === "") return (one === "") - (other === "");
  const difference = Number(one) - Number(other);
  return Number.isNaN(difference) ? one.localeCompare(other, "en", { numeric: true }) : difference;
}

function sort(table, head, place) {
  const falling = head.getAttribute("aria-sort") === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  const empty = (row) => text(row.cells[place]) === "";
  const rows = Array.from(table.tBodies[0].rows);
  rows.sort((one, other) => {
    const order = compare(text(one.cells[place]), text(other.cells[place]));
    return falling && !empty(one) && !empty(other) ? -order : order;
  });
  table.tBodies[0].append(...rows);
}

// In a narrow window a row is a card, and each cell says its head.
for (const table of document.querySelectorAll(".scroll > table:not(.beside, .checks, .asked, .overview)")) {
  const heads = Array.from(table.tHead?.rows[0].cells ?? [], (head) => head.textContent.trim());
  if (heads.length === 0) continue;
  table.classList.add("titled");
  for (const row of table.tBodies[0].rows) Array.from(row.cells).forEach((cell, place) => { cell.dataset.title = heads[place]; });
}

for (const table of document.querySelectorAll("table.sortable")) {
  Array.from(table.tHead.rows[0].cells).forEach((head, place) => {
    // Not a button element: browsers do not repeat a table head on the next sheet of paper if it holds one.
    const button = document.createElement("span");
    button.setAttribute("role", "button");
    button.tabIndex = 0;
    button.append(...head.childNodes);
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      sort(table, head, place);
    });
    head.append(button);
    head.addEventListener("click", () => sort(table, head, place));
  });
}

const parts = Array.from(document.querySelectorAll("details"));
const opener = document.createElement("button");
opener.type = "button";
opener.className = "opener";

function label() {
  opener.textContent = parts.every((part) => part.open) ? "Fold all parts" : "Open all parts";
}

opener.addEventListener("click", () => {
  const open = !parts.every((part) => part.open);
  for (const part of parts) part.open = open;
  label();
});
for (const part of parts) part.addEventListener("toggle", label);
label();
document.querySelector("nav").append(opener);

let folded = [];
addEventListener("beforeprint", () => {
  folded = parts.filter((part) => !part.open && !part.classList.contains("data"));
  for (const part of folded) part.open = true;
});
addEventListener("afterprint", () => {
  for (const part of folded) part.open = false;
});

for (const button of document.querySelectorAll("button[data-copy]")) {
  const copied = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    getSelection().selectAllChildren(copied);
    try {
      await navigator.clipboard.writeText(copied.innerText);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected: press Ctrl+C";
    }
  });
}
