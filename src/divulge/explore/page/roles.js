// Data and roles.
import { make, many, show, table } from "./dom.js";
import { ask, change } from "./api.js";

const ROLES = ["identifier", "quasi-identifier", "sensitive", "other"];

/** @param {any} told @param {(told: any) => void} shown */
export function showData(told, shown) {
  void ask("preview").then((found) => {
    if (!found) return;
    show("data",
      make("p", { class: "soft small" }, told.unlocked ? "The first records." : "The first records, with values masked."),
      table(found.names, found.rows),
      reading(told, shown),
      told.unlocked ? null : make("p", {}, make("button", {
        type: "button", id: "unlock",
        onclick: async () => shown(await ask("unlock")),
      }, "Show values"), " ", make("span", { class: "soft small" }, "The session file notes when values were shown.")));
  });
}

/** How the table is read. @param {any} told @param {(told: any) => void} shown */
function reading(told, shown) {
  const separator = /** @type {HTMLInputElement} */ (make("input", { type: "text", name: "separator", size: 4, value: told.reading.separator ?? "" }));
  const missing = /** @type {HTMLInputElement} */ (make("input", { type: "text", name: "missing", value: told.reading.missing_values ?? "" }));
  const header = /** @type {HTMLInputElement} */ (make("input", { type: "checkbox", name: "no-header", checked: told.reading.no_header }));
  return make("details", {}, make("summary", {}, "Read it differently"),
    make("div", { class: "row" },
      make("label", {}, "Separator", separator),
      make("label", {}, "Values that mean missing", missing),
      make("label", {}, "The first line is a record", header),
      make("button", {
        type: "button", id: "read-again",
        onclick: async () => shown(await ask("read_again", {
          separator: separator.value,
          missing_values: missing.value.split(",").map((one) => one.trim()).filter(Boolean),
          no_header: header.checked,
        })),
      }, "Read again")));
}

/** @param {any} told @param {(told: any) => void} shown */
export function showRoles(told, shown) {
  show("roles", table(["attribute", "role", "values", "missing", "why"], told.attributes.map((/** @type {any} */ one) => [
    one.name,
    make("select", {
      "aria-label": `Role of ${one.name}`, name: `role-${one.name}`,
      onchange: async (/** @type {any} */ event) => shown(await change({ roles: { [one.name]: event.target.value } })),
    }, ...ROLES.map((role) => make("option", { value: role, selected: role === one.role }, role))),
    many(one.values), many(one.missing),
    make("span", { class: "soft small" }, one.reasons.join("; ")),
  ])));
}
