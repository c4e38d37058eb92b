// The tray of pinned releases, and everything as files.
import { make, many, percent, quantity, show, table } from "./dom.js";
import { ask } from "./api.js";

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
  return make("details", { id: "history", open, ontoggle: fill }, make("summary", {}, `History: ${quantity(told.history.length - 1, "change")}`), list);
}

/** @param {any} told */
export function showFiles(told) {
  show("code", ...Object.entries(told.files).map(([name, text]) => make("details", { open: name === "recipe.toml" },
    make("summary", {}, name), make("pre", { "data-file": name, tabindex: 0 }, /** @type {string} */ (text)))));
}
