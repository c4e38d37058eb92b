// Roles, and what the attacker knows.
import { make, many, show, table } from "./dom.js";
import { change } from "./api.js";

const ROLES = ["identifier", "quasi-identifier", "sensitive", "other"];

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
export function showRoles(told, shown) {
  show("roles", table(["attribute", "role", "values", "missing", "why"], told.attributes.map((one) => [
    one.name,
    make("select", {
      "aria-label": `Role of ${one.name}`, name: `role-${one.name}`,
      onchange: async (/** @type {any} */ event) => shown(await change({ roles: { [one.name]: event.target.value } })),
    }, ...ROLES.map((role) => make("option", { value: role, selected: role === one.role }, role))),
    many(one.values), many(one.missing),
    make("span", { class: "soft small" }, one.reasons.join("; ")),
  ])));
}

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
export function showAttacker(told, shown) {
  const keys = told.attributes.filter((one) => one.role === "quasi-identifier");
  const known = new Set(told.choices.known);
  show("attacker",
    make("div", { class: "checks" }, ...keys.map((one) => make("label", {},
      make("input", {
        type: "checkbox", name: `known-${one.name}`, checked: known.has(one.name),
        onchange: async (/** @type {any} */ event) => {
          if (event.target.checked) known.add(one.name);
          else known.delete(one.name);
          shown(await change({ known: [...known] }));
        },
      }), one.name))),
    make("div", { class: "row" }, make("label", {}, "Share of the population that is in the table, in percent",
      make("input", {
        type: "number", name: "fraction", min: 0, max: 100, step: "any",
        value: told.choices.fraction === null ? "" : told.choices.fraction * 100,
        onchange: async (/** @type {any} */ event) => {
          const share = event.target.value === "" ? null : Number(event.target.value) / 100;
          shown(await change({ fraction: share }));
        },
      }))));
}
