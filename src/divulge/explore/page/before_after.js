// The original and the release side by side: attacks, needs, correlations, totals, distributions.
import { byId, decimal, make, many, number, percent, show, table } from "./dom.js";
import { askBeside, change } from "./api.js";
import { whenSeen } from "./in_sight.js";

/**
 * @param {any} told
 * @param {(told: any) => void} shown
 */
export function showComparison(told, shown) {
  if (!told.figures) {
    show("change", "");
    return;
  }
  if (!document.getElementById("compared")) show("change", make("div", { id: "needs" }), make("div", { id: "compared" }));
  showNeeds(told, shown);
  if (byId("compared").firstChild) byId("compared").classList.add("outdated");
  whenSeen("compared", () => askBeside("compared"), (found) => !found.comparing, compared);
}

/**
 * What the release is needed for: what is stated, and a form for one more.
 * @param {any} told
 * @param {(told: any) => void} shown
 */
function showNeeds(told, shown) {
  const place = byId("needs");
  const active = document.activeElement;
  if (place.contains(active) && active?.tagName !== "BUTTON") return; // not under the hand
  const needs = told.choices.needs;
  const take = async (/** @type {any} */ others) => {
    const found = await change({ needs: others });
    if (found) shown(found); // what was refused stays written
  };
  const name = /** @type {HTMLInputElement} */ (make("input", { type: "text", name: "need-name", maxlength: 60 }));
  const least = /** @type {HTMLInputElement} */ (make("input", { type: "number", name: "need-least", min: 0, max: 1, step: "any" }));
  const attributes = told.attributes.filter((/** @type {any} */ one) => one.role !== "identifier").map((/** @type {any} */ one) => one.name);
  const target = /** @type {HTMLSelectElement} */ (make("select", { name: "need-target" }, ...attributes.map((/** @type {string} */ one) => make("option", { value: one }, one))));
  const keys = new Set();
  place.replaceChildren(
    ...Object.entries(needs).map(([called, one]) => make("p", {}, `${called}: predict ${one.target} from ${[one.keys].flat().join(", ")} `, make("button", {
      type: "button", "aria-label": `Leave out ${called}`,
      onclick: () => take(Object.fromEntries(Object.entries(needs).filter(([other]) => other !== called))),
    }, "Leave out"))),
    make("details", { open: place.querySelector("details")?.open ?? false }, make("summary", {}, "State a need"),
      make("p", { class: "soft small" }, "What analysts do with the release: predict one attribute from others."),
      make("div", { class: "row" }, make("label", {}, "Name", name), make("label", {}, "To predict", target), make("label", {}, "Utility that is enough, from 0 to 1", least)),
      make("div", { class: "checks small" }, "from ", ...attributes.map((/** @type {string} */ one) => make("label", {}, make("input", {
        type: "checkbox", name: `need-key-${one}`,
        onchange: (/** @type {any} */ event) => (event.target.checked ? keys.add(one) : keys.delete(one)),
      }), one))),
      make("p", {}, make("button", {
        type: "button", id: "take-need",
        onclick: () => {
          const need = { target: target.value, keys: [...keys], ...(least.value === "" ? {} : { at_least: Number(least.value) }) };
          void take({ ...needs, [name.value.trim() || target.value]: need });
        },
      }, "Take this need"))));
}

/** @param {any} found */
function compared(found) {
  const place = byId("compared");
  if (!found) return;
  if (found.comparing) {
    if (!place.querySelector("table")) place.replaceChildren(make("p", { class: "soft small" }, `Comparing with the original … ${found.progress}`));
    return;
  }
  place.classList.remove("outdated");
  if (found.undefined) {
    place.replaceChildren(make("p", {}, `Not compared: ${found.undefined}`));
    return;
  }
  place.replaceChildren(
    make("h3", {}, "What attackers achieve on the release"), make("p", { class: "soft small" }, found.people),
    table(["attack", "risk", "what was found"], found.attacks.map((/** @type {any} */ one) => [
      make("span", {}, one.title, make("br"), make("span", { class: "soft small" }, `knows ${one.knows}`)),
      one.risk === null ? "–" : percent(one.risk), one.sentence ?? one.undefined ?? "",
    ])),
    ...part("Needs", ["need", "original", "release", "by chance", "enough"], found.needs.map((/** @type {any} */ one) => [
      `${one.name}: ${one.target} from ${one.keys.join(", ")}`, decimal(one.original), one.undefined ?? decimal(one.utility), decimal(one.chance),
      one.enough === null ? "–" : make("span", { class: one.enough ? "good" : "bad" }, `${one.enough ? "yes" : "no"} (at least ${one.at_least})`),
    ])),
    ...part(`Totals of the ${found.totals_of}`, ["total", "original", "standard error", "release", "error of the release"], found.totals.map((/** @type {any} */ one) => [
      one.attribute ?? (found.totals_of === "records" ? "records" : "people"), many(Number(one.original.toPrecision(6))), one.standard_error === null ? "–" : many(Number(one.standard_error.toPrecision(3))),
      one.released === null ? one.undefined : many(Number(one.released.toPrecision(6))), one.relative_error === null ? "–" : percent(one.relative_error),
    ])),
    ...part("Correlations", ["attributes", "original", "release", "difference"], found.correlations.filter((/** @type {any} */ one) => one.original !== null).map((/** @type {any} */ one) => [
      one.attributes.join(" and "), decimal(one.original), one.released === null ? one.undefined : decimal(one.released), decimal(one.difference),
    ])),
    make("h3", {}, "How records are spread"),
    ...found.distributions.map((/** @type {any} */ one) => make("div", {},
      make("h4", {}, one.attribute),
      make("div", { class: "overlaid" },
        make("span", { class: "soft" }, "group"), make("span", { class: "soft" }, "original behind, release in front"), make("span", { class: "soft" }, "original, release"),
        ...one.bars.flatMap((/** @type {any} */ bar) => [
          make("span", {}, bar.label), overlaid(bar, Math.max(...one.bars.flatMap((/** @type {any} */ other) => [number(other.before), number(other.after)]))), make("span", {}, `${percent(bar.before)}, ${percent(bar.after)}`),
        ])))));
}

/**
 * A table under a heading, where there is something to show.
 * @param {string} title
 * @param {string[]} head
 * @param {any[][]} rows
 */
function part(title, head, rows) {
  return rows.length === 0 ? [] : [make("h3", {}, title), table(head, rows)];
}

/**
 * Two shares as one bar over the other, the widest as wide as there is room.
 * @param {any} bar
 * @param {number} widest
 */
function overlaid(bar, widest) {
  const bars = [make("span", { class: "was" }), make("span", { class: "now" })];
  bars[0].style.width = `${(100 * number(bar.before)) / (widest || 1)}%`;
  bars[1].style.width = `${(100 * number(bar.after)) / (widest || 1)}%`;
  return make("span", { class: "bar", "aria-hidden": true }, ...bars);
}
