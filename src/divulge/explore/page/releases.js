// The tray of pinned releases, and everything as files.
import { make, many, percent, show, table } from "./dom.js";
import { ask } from "./api.js";

/** @param {any} told @param {(told: any) => void} shown */
export function showTray(told, shown) {
  const name = /** @type {HTMLInputElement} */ (make("input", { type: "text", name: "pin", "aria-label": "Name of this release", maxlength: 60 }));
  show("tray",
    make("div", { class: "row" }, make("label", {}, "Name", name), make("button", {
      type: "button", id: "pin",
      onclick: async () => {
        const found = await ask("pin", { name: name.value });
        if (found) shown(found);
      },
    }, "Pin this release")),
    told.pins.length === 0 ? make("p", { class: "soft small" }, "Pinned releases stand here side by side.")
      : table(["release", "smallest group", "alone", "suppressed", "loss", ""], told.pins.map((/** @type {any} */ one) => [
        one.name, many(one.smallest ?? null), percent(one.unique_share ?? null), percent(one.suppressed_share ?? null),
        typeof one.loss === "number" ? one.loss.toFixed(4) : "–",
        make("span", {}, make("button", { type: "button", onclick: async () => shown(await ask("take", { name: one.name })) }, "Take"), " ",
          make("button", { type: "button", onclick: async () => shown(await ask("unpin", { name: one.name })) }, "Unpin")),
      ])));
}

/** @param {any} told */
export function showFiles(told) {
  show("code", ...Object.entries(told.files).map(([name, text]) => make("details", { open: name === "recipe.toml" },
    make("summary", {}, name), make("pre", { "data-file": name, tabindex: 0 }, /** @type {string} */ (text)))));
}
