// A slider for each attribute, thresholds, suppression, and the search for the least loss.
import { byId, make, percent, quantity, show } from "./dom.js";
import { ask, change } from "./api.js";
import { editor } from "./hierarchy.js";

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
export function showLevels(told, shown) {
  const keys = told.attributes.filter((one) => one.levels.length > 1);
  const open = new Set([...document.querySelectorAll("#levels details[open]")].map((one) => one.getAttribute("data-of")));
  show("levels", demands(told, shown), ...keys.flatMap((one) => [slider(told, one, shown), editor(told, one, shown, open)]),
    keys.length ? null : make("p", { class: "soft" }, "Give an attribute the role quasi-identifier to get a slider for it."));
}

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
function demands(told, shown) {
  const asked = told.choices.thresholds.k_anonymity;
  const k = (Array.isArray(asked) ? asked[0] : asked)?.min ?? "";
  return make("div", { class: "row" },
    make("label", {}, "Least size of a group (k)", make("input", {
      type: "number", name: "k", min: 2, step: 1, value: k,
      onchange: async (/** @type {any} */ event) => {
        const { k_anonymity: _, ...others } = told.choices.thresholds;
        const least = Number(event.target.value);
        shown(await change({ thresholds: least ? { k_anonymity: { min: least }, ...others } : others }));
      },
    })),
    make("label", {}, "Records that may be suppressed, in percent", make("input", {
      type: "number", name: "suppress", min: 0, max: 100, step: "any", value: told.choices.suppress * 100,
      onchange: async (/** @type {any} */ event) => shown(await change({ suppress: Number(event.target.value) / 100 })),
    })),
    make("button", { type: "button", id: "best", class: "main", disabled: searching, onclick: () => void search(shown) }, "Find the least loss"),
    make("p", { id: "certificate", class: "small", role: "status" }, told.certificate));
}

let searching = false;

/**
 * The search, with how far it is.
 * @param {(told: ExplorerEntry|null) => void} shown
 */
async function search(shown) {
  searching = true;
  const button = /** @type {HTMLButtonElement} */ (byId("best"));
  button.disabled = true;
  let found = await ask("best");
  while (found?.searching) {
    await new Promise((done) => setTimeout(done, 200));
    found = await ask("searched");
    if (found?.searching) {
      byId("certificate").replaceChildren(
        make("progress", { max: 1, value: found.part || null, "aria-label": "Search" }), ` ${found.progress || "Searching"} ${found.part ? percent(found.part) : "…"}`);
    }
  }
  searching = false;
  /** @type {HTMLButtonElement} */ (byId("best")).disabled = false;
  if (found?.choices) shown(found);
  else byId("certificate").textContent = "";
}

/**
 * @param {ExplorerEntry} told
 * @param {ExploredAttributeEntry} one
 * @param {(told: ExplorerEntry|null) => void} shown
 */
function slider(told, one, shown) {
  const level = Math.min(told.choices.levels[one.name] ?? 0, one.levels.length - 1);
  const words = make("output", { class: "soft small" }, said(one, level));
  return make("div", { class: "slider" },
    make("label", { for: `level-${one.name}` }, one.name),
    make("input", {
      type: "range", id: `level-${one.name}`, name: `level-${one.name}`, min: 0, max: one.levels.length - 1, step: 1, value: level,
      oninput: async (/** @type {any} */ event) => {
        const wanted = Number(event.target.value);
        words.textContent = said(one, wanted);
        const found = await change({ levels: { [one.name]: wanted } });
        if (found) shown(found);
      },
    }), words);
}

/**
 * Sliders at the levels of now, without drawing them again while they are moved.
 * @param {ExplorerEntry} told
 */
export function moveSliders(told) {
  if (!searching) byId("certificate").textContent = told.certificate;
  for (const one of told.attributes) {
    const place = /** @type {HTMLInputElement|null} */ (document.querySelector(`[name="${CSS.escape(`level-${one.name}`)}"]`));
    if (!place) continue;
    const level = Math.min(told.choices.levels[one.name] ?? 0, one.levels.length - 1);
    place.value = String(level);
    if (place.nextElementSibling) place.nextElementSibling.textContent = said(one, level);
  }
}

/**
 * @param {ExploredAttributeEntry} one
 * @param {number} level
 */
function said(one, level) {
  const groups = one.levels[level].groups;
  if (level === 0) return groups === 1 ? "1 value as it is" : `${quantity(groups, "value")} as they are`;
  return `level ${level} of ${one.levels.length - 1}: ${quantity(groups, "group")}`;
}
