// Hierarchies edited by hand: cut points moved, groups merged, levels added and left out, files in and out.
import { make } from "./dom.js";
import { ask, save } from "./api.js";

/** @typedef {(said: object) => Promise<void>} Edit */

/**
 * @param {ExplorerEntry} told
 * @param {ExploredAttributeEntry} one
 * @param {(told: ExplorerEntry|null) => void} shown
 * @param {Set<string|null>} open which editors are open
 */
export function editor(told, one, shown, open) {
  /** @type {Edit} */
  const edit = async (said) => {
    const found = await ask("edit", { attribute: one.name, ...said });
    if (found) shown(found);
  };
  return make("details", { "data-of": one.name, open: open.has(one.name) },
    make("summary", {}, `Hierarchy of ${one.name}${one.made ? " (made from the values)" : ""}`),
    make("div", { class: "editor" },
      ...one.levels.slice(1).map((held, place) => level(one, held, place + 1, edit)),
      make("div", { class: "acts" },
        make("button", { type: "button", name: `add-${one.name}-0`, onclick: () => edit({ action: "add", level: 0 }) }, "Add a level below level 1"),
        make("button", { type: "button", name: `reset-${one.name}`, onclick: () => edit({ action: "reset" }) }, "As it was made")),
      given(one, edit, open.has(`file of ${one.name}`)), written(told, one)));
}

/**
 * @param {ExploredAttributeEntry} one
 * @param {LevelEntry} held
 * @param {number} place
 * @param {Edit} edit
 */
function level(one, held, place, edit) {
  const here = `${one.name}-${place}`;
  return make("div", { class: "level" },
    make("h3", {}, `Level ${place}: ${held.groups} group${held.groups === 1 ? "" : "s"}`),
    make("div", { class: "acts small" },
      make("button", { type: "button", name: `add-${here}`, "aria-label": `Add a level above level ${place} of ${one.name}`, onclick: () => edit({ action: "add", level: place }) }, "Add a level above"),
      make("button", { type: "button", name: `remove-${here}`, "aria-label": `Leave out level ${place} of ${one.name}`, onclick: () => edit({ action: "remove", level: place }) }, "Leave out")),
    one.numeric ? cuts(one, held, place, edit) : null,
    one.numeric && one.made ? null : merging(one, held, place, edit)); // groups that a person named may be merged by name
}

/**
 * Numbers: handles on one line, moved by mouse or arrow keys, and the same as text.
 * @param {ExploredAttributeEntry} one
 * @param {LevelEntry} held
 * @param {number} place
 * @param {Edit} edit
 */
function cuts(one, held, place, edit) {
  const here = `${one.name}-${place}`;
  const written = /** @type {HTMLInputElement} */ (make("input", {
    type: "text", name: `cuts-${here}`, size: 40, placeholder: "20, 40, 60", value: (held.cuts ?? []).join(", "), "aria-label": `Cut points of level ${place} of ${one.name}`,
  }));
  const span = one.span;
  const handles = held.cuts && span ? held.cuts.map((cut, which) => /** @type {HTMLInputElement} */ (make("input", {
    type: "range", min: span[0], max: span[1], step: one.whole ? 1 : "any", value: cut, name: `cut-${here}-${which}`,
    "aria-label": `Cut ${which + 1} of level ${place} of ${one.name}`,
    oninput: () => { written.value = handles.map((handle) => handle.value).join(", "); },
    onchange: () => edit({ action: "cut", level: place, cuts: handles.map((handle) => Number(handle.value)) }),
  }))) : [];
  return make("div", {},
    handles.length && span ? make("div", { class: "ends" }, String(span[0]), make("div", { class: "cuts" }, ...handles), String(span[1])) : null,
    make("div", { class: "row" }, make("label", {}, "New groups begin at", written),
      make("button", {
        type: "button", name: `cut-${here}`,
        onclick: () => edit({ action: "cut", level: place, cuts: written.value.split(/[,;\s]+/).filter(Boolean).map(Number) }),
      }, "Cut here"),
      held.cuts ? null : make("span", { class: "soft small" }, one.span ? "There are too many cut points to show." : "Show values to see the cut points and to drag them.")));
}

/**
 * Categories: groups that are ticked become one.
 * @param {ExploredAttributeEntry} one
 * @param {LevelEntry} held
 * @param {number} place
 * @param {Edit} edit
 */
function merging(one, held, place, edit) {
  const here = `${one.name}-${place}`;
  /** @type {Set<string>} */
  const chosen = new Set();
  const name = /** @type {HTMLInputElement} */ (make("input", { type: "text", name: `merged-${here}`, "aria-label": `Name of the merged group at level ${place} of ${one.name}` }));
  const more = held.groups - held.masked - held.names.length;
  return make("div", {},
    held.groups < 2 ? null : make("div", { class: "checks small" }, ...held.names.map((group) => make("label", {}, make("input", {
      type: "checkbox", name: `group-${here}-${group}`,
      onchange: (/** @type {any} */ event) => (event.target.checked ? chosen.add(group) : chosen.delete(group)),
    }), group))),
    held.masked ? make("p", { class: "soft small" }, `${held.masked} more of fewer than five people each. They are named once values are shown.`) : null,
    more > 0 ? make("p", { class: "soft small" }, `${more.toLocaleString("en")} more groups. A file can say where they belong.`) : null,
    held.names.length < 2 ? null : make("div", { class: "row" }, make("label", {}, "Name of the merged group", name), make("button", {
      type: "button", name: `merge-${here}`, onclick: () => edit({ action: "merge", level: place, groups: [...chosen], name: name.value }),
    }, "Merge the ticked groups")));
}

/**
 * A hierarchy from files, or from pasted text.
 * @param {ExploredAttributeEntry} one
 * @param {Edit} edit
 * @param {boolean} open
 */
function given(one, edit, open) {
  const text = /** @type {HTMLTextAreaElement} */ (make("textarea", { name: `pasted-${one.name}`, rows: 4, cols: 40, "aria-label": `Hierarchy of ${one.name} as text` }));
  const form = /** @type {HTMLSelectElement} */ (make("select", { name: `form-${one.name}`, "aria-label": "Form of the text" },
    make("option", { value: ".csv" }, "ARX: value;level 1;level 2"), make("option", { value: ".hrc" }, "ARGUS tree: @ before deeper codes"),
    make("option", { value: ".grc" }, "µ-ARGUS recoding: 1: 1-20")));
  const leader = /** @type {HTMLInputElement} */ (make("input", { type: "text", name: `leader-${one.name}`, size: 3, placeholder: "@", "aria-label": "Sign before deeper codes" }));
  return make("details", { "data-of": `file of ${one.name}`, open }, make("summary", {}, "Take a hierarchy from a file"),
    make("div", { class: "row" },
      make("label", {}, "File of ARX (.csv), ARGUS tree (.hrc) or µ-ARGUS recodings (.grc, a level each)", make("input", {
        type: "file", multiple: "", accept: ".csv,.txt,.hrc,.grc", name: `file-${one.name}`, "aria-label": `Hierarchy file of ${one.name}`,
        onchange: async (/** @type {any} */ event) => {
          const chosen = [.../** @type {FileList} */ (event.target.files)];
          const files = await Promise.all(chosen.map(async (file) => ({ name: file.name, text: await file.text() })));
          event.target.value = "";
          await edit({ action: "file", files, leader: leader.value });
        },
      })),
      make("label", {}, "Sign before deeper codes (.hrc)", leader)),
    make("div", { class: "row" }, make("label", {}, "Or its text", text), make("label", {}, "Form", form), make("button", {
      type: "button", name: `paste-${one.name}`, onclick: () => edit({ action: "file", files: [{ name: form.value, text: text.value }], leader: leader.value }),
    }, "Take this text")));
}

/**
 * @param {ExplorerEntry} told
 * @param {ExploredAttributeEntry} one
 */
function written(told, one) {
  const level = Number(told.choices.levels[one.name] ?? 0);
  const file = (/** @type {string} */ form, /** @type {string} */ words) => make("button", {
    type: "button", name: `save-${one.name}${form}`,
    onclick: async () => {
      const found = await ask("hierarchy_file", { attribute: one.name, form });
      if (found) save(new Blob([found.text], { type: "text/plain" }), found.name);
    },
  }, words);
  return make("div", { class: "acts small" }, make("span", { class: "soft" }, "Save it as"),
    file(".csv", "ARX (.csv)"), file(".hrc", "ARGUS tree (.hrc)"), level > 0 ? file(".grc", `µ-ARGUS recoding of level ${level} (.grc)`) : null);
}
