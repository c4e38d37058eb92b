// A slider for each attribute, hierarchies edited by hand, thresholds and suppression.
import { make, show } from "./dom.js";
import { ask, change } from "./api.js";

/** @param {any} told @param {(told: any) => void} shown */
export function showLevels(told, shown) {
  const keys = told.attributes.filter((/** @type {any} */ one) => one.levels.length > 1);
  const open = new Set([...document.querySelectorAll("#levels details[open]")].map((one) => one.getAttribute("data-of")));
  show("levels", demands(told, shown), ...keys.flatMap((/** @type {any} */ one) => [
    slider(told, one, shown), editor(told, one, shown, open.has(one.name)),
  ]), further(told, shown));
}

/**
 * Steps of other mechanisms, written as in a recipe.
 * @param {any} told @param {(told: any) => void} shown
 */
function further(told, shown) {
  const text = /** @type {HTMLTextAreaElement} */ (make("textarea", { name: "steps", rows: 6, cols: 60, "aria-label": "Further steps" }));
  text.value = told.steps;
  text.placeholder = '[[step]]\nmechanism = "rounding"\nattributes = ["age"]\nbase = 5';
  return make("details", { open: told.steps !== "" }, make("summary", {}, "Further steps, before levels"),
    make("p", { class: "soft small" }, "As a recipe writes them; divulge mechanisms lists what there is."), text,
    make("p", {}, make("button", { type: "button", id: "take-steps", onclick: async () => shown(await ask("step_text", { text: text.value })) }, "Take these steps")));
}

/** @param {any} told @param {(told: any) => void} shown */
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
    make("button", {
      type: "button", id: "best", class: "main",
      onclick: async (/** @type {any} */ event) => {
        event.target.disabled = true;
        event.target.textContent = "Searching …";
        let found = await ask("best");
        while (found?.searching) {
          await new Promise((done) => setTimeout(done, 250));
          found = await ask("searched");
        }
        if (found?.choices) shown(found);
        event.target.disabled = false;
        event.target.textContent = "Find the least loss";
      },
    }, "Find the least loss"),
    make("span", { id: "certificate", class: "soft small" }, told.certificate ?? ""));
}

/** @param {any} told @param {any} one @param {(told: any) => void} shown */
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
 * Sliders at the levels of now, without drawing them anew under the hand.
 * @param {any} told
 */
export function moveSliders(told) {
  for (const one of told.attributes) {
    const place = /** @type {HTMLInputElement|null} */ (document.querySelector(`[name="${CSS.escape(`level-${one.name}`)}"]`));
    if (!place) continue;
    const level = Math.min(told.choices.levels[one.name] ?? 0, one.levels.length - 1);
    place.value = String(level);
    if (place.nextElementSibling) place.nextElementSibling.textContent = said(one, level);
  }
}

/** @param {any} one @param {number} level */
function said(one, level) {
  const groups = one.levels[level].groups;
  return level === 0 ? `values as they are (${groups})` : `level ${level} of ${one.levels.length - 1}: ${groups} group${groups === 1 ? "" : "s"}`;
}

/** @param {any} told @param {any} one @param {(told: any) => void} shown @param {boolean} open */
function editor(told, one, shown, open) {
  const edit = async (/** @type {object} */ said) => {
    const found = await ask("edit", { attribute: one.name, ...said });
    if (found) shown(found);
  };
  return make("details", { "data-of": one.name, open },
    make("summary", {}, `Hierarchy of ${one.name}${one.made ? " (made from the values)" : ""}`),
    make("div", { class: "editor" },
      ...one.levels.slice(1).map((/** @type {any} */ held, /** @type {number} */ place) => level(one, held, place + 1, edit)),
      make("div", { class: "row" },
        make("button", { type: "button", onclick: () => edit({ action: "add", level: 0 }) }, "Add a level"),
        make("button", { type: "button", onclick: () => edit({ action: "reset" }) }, "As it was made"),
        make("label", {}, "From a file (value;level 1;level 2 …)", make("input", {
          type: "file", accept: ".csv,.txt", "aria-label": `Hierarchy file of ${one.name}`,
          onchange: async (/** @type {any} */ event) => edit({ action: "file", text: await event.target.files[0].text() }),
        })))));
}

/** @param {any} one @param {any} held @param {number} place @param {(said: object) => Promise<void>} edit */
function level(one, held, place, edit) {
  const chosen = new Set();
  const name = /** @type {HTMLInputElement} */ (make("input", { type: "text", "aria-label": "Name of the merged group" }));
  const cuts = /** @type {HTMLInputElement} */ (make("input", { type: "text", "aria-label": "Cut points", placeholder: "20, 40, 60", value: (held.cuts ?? []).join(", ") }));
  return make("div", {},
    make("h3", {}, `Level ${place}: ${held.groups} group${held.groups === 1 ? "" : "s"} `,
      make("button", { type: "button", onclick: () => edit({ action: "remove", level: place }) }, "Leave out")),
    one.numeric && held.cuts && one.span ? make("div", { class: "cuts" }, ...held.cuts.map((/** @type {number} */ cut, /** @type {number} */ which) =>
      make("input", {
        type: "range", min: one.span[0], max: one.span[1], step: "any", value: cut, name: `cut-${one.name}-${place}-${which}`,
        "aria-label": `Cut ${which + 1} of level ${place} of ${one.name}`,
        onchange: (/** @type {any} */ event) => edit({
          action: "cut", level: place,
          cuts: held.cuts.map((/** @type {number} */ other, /** @type {number} */ at) => (at === which ? (one.whole ? Math.round(Number(event.target.value)) : Number(event.target.value)) : other)),
        }),
      }))) : null,
    one.numeric
      ? make("div", { class: "row" }, make("label", {}, "New groups begin at", cuts), make("button", {
        type: "button",
        onclick: () => edit({ action: "cut", level: place, cuts: cuts.value.split(/[,;\s]+/).filter(Boolean).map(Number) }),
      }, "Cut"), held.cuts ? null : make("span", { class: "soft small" }, "Show values to see and drag the cut points."))
      : make("div", {}, make("div", { class: "checks small" }, ...held.names.map((/** @type {string} */ group) =>
        make("label", {}, make("input", {
          type: "checkbox",
          onchange: (/** @type {any} */ event) => (event.target.checked ? chosen.add(group) : chosen.delete(group)),
        }), group))),
      held.masked ? make("p", { class: "soft small" }, `${held.masked} more of fewer than five records each, not named until values are shown`) : null,
      make("div", { class: "row" }, make("label", {}, "Name", name), make("button", {
        type: "button", onclick: () => edit({ action: "merge", level: place, groups: [...chosen], name: name.value }),
      }, "Merge"))));
}
