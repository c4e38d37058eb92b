// The risk curve: which share of records has a chance to be named above each bound.
import { make, number, percent, table } from "./dom.js";

const [LEFT, WIDE, HIGH] = [34, 300, 90];
const SCALE = [0, 0.5, 1]; // shares of records that have a line
const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {RiskEntry[]} risks
 * @returns {HTMLElement[]}
 */
export function riskCurve(risks) {
  const drawn = risks.filter((one) => one.above.length > 0);
  if (drawn.length === 0) return [];
  const bounds = drawn[0].above.map((/** @type {any} */ one) => one.threshold);
  const picture = part("svg", { viewBox: `0 0 ${WIDE} ${HIGH + 30}`, role: "img", class: "curve", "aria-label": "Risk curve; the table below has its numbers" },
    ...SCALE.flatMap((share) => [
      part("line", { x1: LEFT, x2: WIDE, y1: up(share), y2: up(share), class: "axis" }),
      words(percent(share), LEFT - 4, up(share) + 3, "share"),
    ]),
    ...bounds.map((/** @type {number} */ bound, /** @type {number} */ place) => words(percent(bound), across(place, bounds.length), HIGH + 13, "bound")),
    words("chance to be named above", (LEFT + WIDE) / 2, HIGH + 25, "bound"),
    ...drawn.map((one) => part("polyline", { class: one.attacker, points: one.above.map((/** @type {any} */ at, /** @type {number} */ place) =>
      `${across(place, bounds.length)},${up(number(at.share))}`).join(" ") })));
  const box = make("div", {});
  box.append(picture);
  return [
    make("h3", {}, "Risk curve"), make("p", { class: "soft small" }, "Share of released records (prosecutor solid, journalist dashed)"), box,
    make("details", {}, make("summary", {}, "The risk curve as a table"),
      table(["above", ...drawn.map((one) => one.attacker)], bounds.map((/** @type {number} */ bound, /** @type {number} */ place) =>
        [percent(bound), ...drawn.map((one) => percent(one.above[place].share))]))),
  ];
}

/**
 * @param {number} place
 * @param {number} of
 */
function across(place, of) {
  return LEFT + 14 + (place * (WIDE - LEFT - 28)) / (of - 1);
}

/**
 * How high a share is drawn.
 * @param {number} share
 */
function up(share) {
  return HIGH - (HIGH - 6) * share;
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} axis
 */
function words(text, x, y, axis) {
  const found = part("text", { x, y, class: `label ${axis}` });
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
