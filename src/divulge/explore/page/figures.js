// The figures beside everything else.
import { byId, make, many, number, percent } from "./dom.js";
import { riskCurve } from "./risk_curve.js";

/** @param {any} told */
export function showFigures(told) {
  const place = byId("figures");
  const found = told.figures;
  if (!found) {
    place.replaceChildren(make("h2", {}, "Figures"), make("p", { class: "lead", id: "sentence" }, "Give an attribute the role quasi-identifier to see figures."));
    return;
  }
  place.replaceChildren(
    make("h2", {}, "Figures"),
    make("p", { class: "lead", id: "sentence" }, found.sentence),
    make("p", { class: "soft small", id: "assumed" }, found.assumed),
    ...asItIs(found.as_it_is),
    make("dl", { class: "facts" },
      ...fact("Smallest group", many(found.smallest), "smallest"),
      ...fact("in the original", many(found.original.smallest), "smallest-before"),
      ...fact("Unique people", `${many(found.unique)} (${percent(found.unique_share)})`, "unique"),
      ...fact("in the original", `${many(found.original.unique)} (${percent(found.original.unique_share)})`, "unique-before"),
      ...fact("Groups", many(found.groups), "groups"),
      ...fact("Suppressed records", `${many(found.suppressed)} (${percent(found.suppressed_share)})`, "suppressed",
        found.within_limit ? "" : "bad"),
      ...fact("Loss", found.loss === null ? found.loss_undefined : found.loss.toFixed(4), "loss"),
      ...(found.incomplete === 0 ? [] : fact("With a gap, in no group", many(found.incomplete), "incomplete", "bad"))),
    make("h3", {}, "Records by the size of their group"),
    make("div", { class: "bars" }, ...found.sizes.flatMap(sizeBar)),
    make("h3", {}, "Chance to be named"),
    make("ul", { class: "small" }, ...found.risks.map((/** @type {any} */ one) => make("li", {}, `${one.attacker}: ${one.text}`))),
    ...riskCurve(found.risks),
    ...found.learned.map(learned),
    make("h3", {}, "Thresholds"),
    make("ul", { class: "small" }, ...found.thresholds.map((/** @type {any} */ one) =>
      make("li", { class: one.holds === null ? "" : one.holds ? "good" : one.warns ? "warned" : "bad" },
        `${one.name}, ${one.bound}: ${state(one)}`))),
  );
}

/**
 * Whether a demand holds, and what was found where it does not.
 * @param {ThresholdEntry} one
 */
function state(one) {
  if (one.holds === null) return "decided on the release itself";
  if (one.holds) return "holds";
  return (one.warns ? "warns" : "does not hold") + (one.found ? `. ${one.found}` : "");
}

/** @param {string} name @param {string} value @param {string} id @param {string} [tone] */
function fact(name, value, id, tone = "") {
  return [make("dt", {}, name), make("dd", { id: `figure-${id}`, class: tone }, value)];
}

/**
 * Attributes without a role, which go out as they are, those that are a risk marked.
 * @param {AsItIsEntry[]} attributes
 */
function asItIs(attributes) {
  if (attributes.length === 0) return [];
  return [make("h3", {}, "Released as they are"), make("ul", { class: "small", id: "as-it-is" }, ...attributes.map((one) =>
    make("li", { class: one.risk ? "bad" : "" }, `${one.attribute}: ${one.about}.${one.risk ? " Give it a role." : ""}`)))];
}

/** @param {any} one */
function sizeBar(one) {
  return [
    make("span", {}, one.label),
    make("progress", { value: number(one.people), max: 1, class: one.few ? "few" : "", "aria-label": `groups of ${one.label}` }),
    make("span", {}, percent(one.people)),
  ];
}

/** @param {any} one */
function learned(one) {
  const rate = one.rate === null ? one.undefined : one.rate.toFixed(3);
  return make("div", {},
    make("h3", {}, `What is learned of ${one.attribute}`),
    make("p", { class: "small" },
      `Discrimination rate ${rate} (0: nothing is learned, 1: everything). The most frequent value is right for ` +
      `${percent(one.guessed_before)}; knowing the group, ${percent(one.guessed_after)}. ` +
      `${percent(one.certain)} are in groups with a single value.`));
}
