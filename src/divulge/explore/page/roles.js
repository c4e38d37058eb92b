// Roles.
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
    make("span", { class: "small" }, make("span", { class: "soft" }, one.reasons.join("; ")), risk(told, one)),
  ])));
}

/**
 * That an attribute is released as it is and may identify people.
 * @param {ExplorerEntry} told
 * @param {ExploredAttributeEntry} one
 */
function risk(told, one) {
  const found = told.figures?.as_it_is.find((other) => other.attribute === one.name && other.risk);
  return found ? make("span", { class: "bad" }, ` Released as it is: ${found.about}.`) : null;
}
