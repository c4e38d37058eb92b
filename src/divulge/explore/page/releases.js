// Records at risk, distributions, the tray of pinned releases, and everything as files.
import { make, many, percent, show, table } from "./dom.js";
import { ask } from "./api.js";

/** @param {any} told */
export function showRecords(told) {
  show("records", make("p", { class: "soft small" }, "The records in the smallest groups, before any is suppressed."),
    make("button", {
      type: "button", id: "find-records",
      onclick: async () => {
        const found = await ask("records");
        if (found) listed(found.records);
      },
    }, "Find them"), make("div", { id: "risky" }));
}

/** @param {any[]} records */
function listed(records) {
  const place = /** @type {HTMLElement} */ (document.getElementById("risky"));
  if (records.length === 0) {
    place.replaceChildren(make("p", {}, "No record is in a group below the least size."));
    return;
  }
  const names = Object.keys(records[0].values);
  place.replaceChildren(table(["row", "group", "alone by", "one level more that protects it", ...names], records.map((one) => [
    one.row, many(one.group),
    one.unique_by.map((/** @type {string[]} */ set) => set.join(" + ")).join("; ") || "–",
    one.protected_by.join(", ") || "none alone",
    ...names.map((name) => one.values[name]),
  ])));
}

export function showComparison() {
  show("change", make("p", { class: "soft small" }, "What attackers achieve on the release, and how records are spread before and after."),
    make("button", {
      type: "button", id: "compare",
      onclick: async (/** @type {any} */ event) => {
        event.target.disabled = true;
        event.target.textContent = "Comparing …";
        let found = await ask("compare");
        while (found?.comparing) {
          await new Promise((done) => setTimeout(done, 250));
          found = await ask("compared");
        }
        if (found) compared(found);
        else showComparison();
      },
    }, "Compare with the original"));
}

/** @param {any} found */
function compared(found) {
  show("change",
    table(["attack", "risk", "what was found"], found.attacks.map((/** @type {any} */ one) => [
      make("span", {}, one.title, make("br"), make("span", { class: "soft small" }, `knows ${one.knows}`)),
      one.risk === null ? "–" : percent(one.risk), one.sentence ?? one.undefined ?? "",
    ])),
    ...found.distributions.map((/** @type {any} */ one) => make("div", {},
      make("h3", {}, one.attribute),
      make("div", { class: "pair" },
        make("span", { class: "head" }, "group"), make("span", { class: "head" }, "original"), make("span", { class: "head" }, "release"),
        ...one.bars.flatMap((/** @type {any} */ bar) => [make("span", {}, bar.label), share(bar.before), share(bar.after)])))));
}

/** @param {number|string} value */
function share(value) {
  const number = typeof value === "string" ? Number(value.slice(1)) : value;
  return make("span", {}, make("progress", { value: number, max: 1, "aria-label": "share" }), ` ${percent(value)}`);
}

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
export function showTray(told, shown) {
  const open = /** @type {HTMLDetailsElement|null} */ (document.getElementById("history"))?.open ?? false;
  const typed = /** @type {HTMLInputElement|null} */ (document.querySelector("[name=pin]"))?.value ?? "";
  const name = /** @type {HTMLInputElement} */ (make("input", { type: "text", name: "pin", value: typed, "aria-label": "Name of this release", maxlength: 60 }));
  show("tray",
    make("div", { class: "row" }, make("label", {}, "Name", name), make("button", {
      type: "button", id: "pin",
      onclick: async () => {
        const found = await ask("pin", { name: name.value });
        if (!found) return;
        name.value = "";
        shown(found);
      },
    }, "Pin this release")),
    told.pins.length === 0 ? make("p", { class: "soft small" }, "Pinned releases stand here side by side.")
      : table(["release", "smallest group", "alone", "suppressed", "loss", ""], told.pins.map((/** @type {any} */ one) => [
        one.name, many(one.smallest ?? null), percent(one.unique_share ?? null), percent(one.suppressed_share ?? null),
        typeof one.loss === "number" ? one.loss.toFixed(4) : "–",
        make("span", {}, make("button", { type: "button", name: `take-${one.name}`, "aria-label": `Take ${one.name}`, onclick: async () => shown(await ask("take", { name: one.name })) }, "Take"), " ",
          make("button", { type: "button", name: `unpin-${one.name}`, "aria-label": `Unpin ${one.name}`, onclick: async () => shown(await ask("unpin", { name: one.name })) }, "Unpin")),
      ])),
    past(told, shown, open));
}

/**
 * What was changed, the latest first; each place can be gone back to.
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 * @param {boolean} open
 */
function past(told, shown, open) {
  const list = make("ul", { class: "past small" });
  const fill = () => list.replaceChildren(...told.history.map((words, place) => make("li", {}, make("button", {
    type: "button", name: `go-${place}`, "aria-current": place === told.place ? "step" : null, onclick: async () => shown(await ask("go", { place })),
  }, words))).reverse());
  if (open) fill();
  return make("details", { id: "history", open, ontoggle: fill }, make("summary", {}, `History: ${told.history.length - 1} changes`), list);
}

/** @param {any} told */
export function showFiles(told) {
  show("code", ...Object.entries(told.files).map(([name, text]) => make("details", { open: name === "recipe.toml" },
    make("summary", {}, name), make("pre", { "data-file": name, tabindex: 0 }, /** @type {string} */ (text)))));
}
