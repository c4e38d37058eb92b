// Further steps: mechanisms chosen and filled in by a form, moved and removed, or written as TOML.
import { byId, make, show } from "./dom.js";
import { ask } from "./api.js";

/** @type {MechanismEntry[]} */
let mechanisms = [];
/** @type {{ place: number|null, mechanism: string, attributes: string[], said: Record<string, any> }|null} */
let draft = null; // the step that is being filled in; place is null for a new one

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
export async function showSteps(told, shown) {
  if (mechanisms.length === 0) mechanisms = (await ask("mechanisms"))?.mechanisms ?? [];
  draw(told, shown);
}

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
function draw(told, shown) {
  const open = /** @type {HTMLDetailsElement|null} */ (document.getElementById("steps-text"))?.open ?? false;
  show("steps",
    make("p", { class: "soft small" }, "Other mechanisms, in this order, before the levels: noise, swapping, rounding, samples and more."),
    told.further.length === 0 ? null : make("ol", { class: "steps" }, ...told.further.map((one, place) => listed(one, place, told, shown))),
    draft ? form(told, shown) : make("p", {}, make("button", {
      type: "button", id: "add-step",
      onclick: () => {
        draft = { place: null, mechanism: "", attributes: [], said: {} };
        draw(told, shown);
        byId("mechanism").focus();
      },
    }, "Add a step")),
    written(told, shown, open));
}

/**
 * @param {FurtherStepEntry} one
 * @param {number} place
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
function listed(one, place, told, shown) {
  const act = (/** @type {string} */ action, /** @type {string} */ words, /** @type {boolean} */ off) => make("button", {
    type: "button", id: `step-${action}-${place}`, disabled: off, "aria-label": `${words} step ${place + 1}`,
    onclick: async () => {
      draft = null;
      shown(await ask("step", { action, place }));
    },
  }, words);
  const said = Object.entries(one.said).map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(", ") : value}`);
  return make("li", {},
    make("b", {}, one.title || one.mechanism), one.attributes.length ? ` of ${one.attributes.join(", ")}` : "",
    said.length ? make("span", { class: "soft" }, ` (${said.join("; ")})`) : null, " ",
    make("span", { class: "acts" },
      act("up", "Earlier", place === 0), act("down", "Later", place === told.further.length - 1),
      make("button", {
        type: "button", id: `step-edit-${place}`, "aria-label": `Edit step ${place + 1}`,
        onclick: () => {
          draft = { place, mechanism: one.mechanism, attributes: [...one.attributes], said: { ...one.said } };
          draw(told, shown);
          byId("mechanism").focus();
        },
      }, "Edit"),
      act("remove", "Remove", false)));
}

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
function form(told, shown) {
  const now = /** @type {NonNullable<typeof draft>} */ (draft);
  const body = make("div", {});
  const submit = /** @type {HTMLButtonElement} */ (make("button", { type: "submit", id: "take-step", class: "main" }, now.place === null ? "Add" : "Change"));
  const fill = () => { // the choice itself stays, so that typing goes on in it
    const chosen = mechanisms.find((one) => one.name === now.mechanism);
    body.replaceChildren(...(chosen ? filled(chosen, now, told) : []));
    submit.disabled = !chosen;
  };
  fill();
  return make("form", {
    id: "step-form", class: "editor",
    onsubmit: async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const asked = { action: now.place === null ? "add" : "set", place: now.place ?? 0, mechanism: now.mechanism, attributes: now.attributes, said: now.said };
      const found = await ask("step", asked);
      if (!found) return; // what was filled in stays, and the message says what to correct
      draft = null;
      shown(found);
    },
  },
  make("div", { class: "row" }, make("label", {}, "Mechanism", make("select", {
    id: "mechanism", name: "mechanism",
    onchange: (/** @type {any} */ event) => {
      now.mechanism = event.target.value;
      now.said = {};
      fill();
    },
  }, make("option", { value: "" }, "Choose …"), ...mechanisms.map((one) =>
    make("option", { value: one.name, selected: one.name === now.mechanism }, one.title))))),
  body,
  make("div", { class: "acts" }, submit, make("button", {
    type: "button", id: "cancel-step",
    onclick: () => {
      draft = null;
      draw(told, shown);
      byId("add-step").focus();
    },
  }, "Cancel")));
}

/**
 * What is said of a mechanism, and what may be said of a step of it.
 * @param {MechanismEntry} chosen
 * @param {NonNullable<typeof draft>} now
 * @param {ExplorerEntry} told
 */
function filled(chosen, now, told) {
  const names = told.attributes.map((one) => one.name);
  return [
    make("p", {}, chosen.summary),
    make("p", { class: "soft small" }, `Takes ${chosen.takes}. Draws at random: ${chosen.drawn}. Guarantees: ${chosen.promise}.`),
    ...(chosen.names_attributes
      ? [make("fieldset", {}, make("legend", {}, "Attributes"), ticks("step-attribute", names, now.attributes, (ticked) => { now.attributes = ticked; }))]
      : []),
    ...chosen.parameters.map((one) => parameter(one, now, names)),
  ];
}

/**
 * @param {MechanismParameterEntry} one
 * @param {NonNullable<typeof draft>} now
 * @param {string[]} names
 */
function parameter(one, now, names) {
  const about = `${one.help}${one.bounds ? ` It must be ${one.bounds}.` : ""}`;
  const title = `${one.name.replaceAll("_", " ")}${one.required ? " (needed)" : ""}`;
  const given = now.said[one.name] ?? one.default;
  const said = (/** @type {any} */ event) => { now.said[one.name] = event.target.value; };
  const named = { name: `step-${one.name}`, id: `step-${one.name}`, "aria-describedby": `about-${one.name}` };
  const help = make("span", { class: "soft small", id: `about-${one.name}` }, about);
  if (one.kind === "attributes") {
    const ticked = Array.isArray(given) ? given : String(given).split(", ").filter(Boolean);
    return make("fieldset", {}, make("legend", {}, title), help, ticks(`step-${one.name}`, names, ticked, (found) => { now.said[one.name] = found; }));
  }
  if (one.kind === "flag") {
    return make("p", { class: "field" }, make("label", { class: "tick" }, make("input", {
      ...named, type: "checkbox", checked: given === true || given === "true",
      onchange: (/** @type {any} */ event) => { now.said[one.name] = event.target.checked; },
    }), title), help);
  }
  const choices = one.kind === "attribute" ? ["", ...names] : one.choices;
  const text = Array.isArray(given) ? given.join(", ") : String(given);
  /** @type {HTMLElement} */
  let field;
  if (choices.length) {
    field = make("select", { ...named, onchange: said }, ...choices.map((choice) => make("option", { value: choice, selected: choice === text }, choice || "none")));
  } else if (["table", "matrix", "texts"].includes(one.kind)) {
    field = make("textarea", { ...named, rows: 3, cols: 40, placeholder: one.example, oninput: said }, text);
  } else {
    const numeric = one.kind === "number" || one.kind === "whole number";
    field = make("input", { ...named, type: "text", inputmode: numeric ? "decimal" : null, placeholder: one.example, value: text, oninput: said });
  }
  return make("p", { class: "field" }, make("label", { for: named.id }, title), field, help);
}

/**
 * @param {string} group
 * @param {string[]} names
 * @param {string[]} chosen
 * @param {(ticked: string[]) => void} told
 */
function ticks(group, names, chosen, told) {
  const ticked = new Set(chosen);
  return make("div", { class: "checks" }, ...names.map((name) => make("label", {}, make("input", {
    type: "checkbox", name: `${group}-${name}`, checked: ticked.has(name),
    onchange: (/** @type {any} */ event) => {
      if (event.target.checked) ticked.add(name);
      else ticked.delete(name);
      told([...ticked]);
    },
  }), name)));
}

/**
 * The same steps as a recipe writes them.
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 * @param {boolean} open
 */
function written(told, shown, open) {
  const text = /** @type {HTMLTextAreaElement} */ (make("textarea", { name: "steps", rows: 6, cols: 60, "aria-label": "Further steps as TOML" }));
  text.value = told.steps;
  text.placeholder = '[[step]]\nmechanism = "rounding"\nattributes = ["age"]\nbase = 5';
  return make("details", { id: "steps-text", open }, make("summary", {}, "As TOML"), text,
    make("p", {}, make("button", {
      type: "button", id: "take-steps",
      onclick: async () => {
        draft = null;
        shown(await ask("step_text", { text: text.value }));
      },
    }, "Take these steps")));
}
