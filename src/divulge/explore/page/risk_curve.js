// The risk curve: which share of records has a chance to be named above each bound.
import { make, number, percent, table } from "./dom.js";

const [WIDE, HIGH] = [300, 90];
const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {RiskEntry[]} risks
 * @returns {HTMLElement[]}
 */
export function riskCurve(risks) {
  const drawn = risks.filter((one) => one.above.length > 0);
  if (drawn.length === 0) return [];
  const bounds = drawn[0].above.map((/** @type {any} */ one) => one.threshold);
  const picture = part("svg", { viewBox: `0 0 ${WIDE} ${HIGH + 16}`, role: "img", class: "curve", "aria-label": "Risk curve; the table below has its numbers" },
    part("line", { x1: 0, x2: WIDE, y1: HIGH, y2: HIGH, class: "axis" }),
    ...bounds.map((/** @type {number} */ bound, /** @type {number} */ place) => words(percent(bound), across(place, bounds.length), place)),
    ...drawn.map((one) => part("polyline", { class: one.attacker, points: one.above.map((/** @type {any} */ at, /** @type {number} */ place) =>
      `${across(place, bounds.length)},${HIGH - (HIGH - 4) * number(at.share)}`).join(" ") })));
  const box = make("div", {});
  box.append(picture);
  return [
    make("h3", {}, "Risk curve"), box,
    make("details", {}, make("summary", {}, "Records with a chance to be named above a bound (prosecutor solid, journalist dashed)"),
      table(["above", ...drawn.map((one) => one.attacker)], bounds.map((/** @type {number} */ bound, /** @type {number} */ place) =>
        [percent(bound), ...drawn.map((one) => percent(one.above[place].share))]))),
  ];
}

/**
 * @param {number} place
 * @param {number} of
 */
function across(place, of) {
  return 14 + (place * (WIDE - 28)) / (of - 1);
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} place
 */
function words(text, x, place) {
  const found = part("text", { x, y: HIGH + 13, class: "label", "data-place": place });
  found.textContent = text;
  return found;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} told
 * @param {...Element} children
 */
function part(tag, told, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(told)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}
