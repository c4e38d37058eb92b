// Elements made from plain values; texts are set as texts, so that no name in a table becomes markup.

/**
 * @param {string} tag
 * @param {Record<string, any>} [told] attributes; names that begin with "on" are listeners
 * @param {...(Node|string|number|null)} children
 * @returns {HTMLElement}
 */
export function make(tag, told = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(told)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "checked" || name === "disabled" || name === "selected" || name === "open") {
      /** @type {any} */ (element)[name] = Boolean(value);
    } else if (value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null) element.append(typeof child === "number" ? String(child) : child);
  return element;
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * What a section shows.
 * @param {string} id @param {...(Node|string|null)} children
 */
export function show(id, ...children) {
  const body = /** @type {HTMLElement} */ (document.querySelector(`#${id} .body`) ?? byId(id));
  body.replaceChildren(...children.filter((child) => child !== null).map((child) => /** @type {Node|string} */ (child)));
}

/**
 * A table with a head.
 * @param {string[]} head @param {(Node|string|number)[][]} rows @returns {HTMLElement}
 */
export function table(head, rows) {
  return make(
    "div", { class: "scroll", tabindex: 0, role: "group", "aria-label": `Table of ${head.join(", ")}` },
    make("table", {},
      make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell, place) => make("td", { "data-title": head[place] }, cell)))))),
  );
}

/**
 * A share, or a bound of one, in percent.
 * @param {number|string|null} share @returns {string}
 */
export function percent(share) {
  if (share === null) return "–";
  if (typeof share === "string") return share[0] + percent(Number(share.slice(1)));
  if (share < 0) return `−${percent(-share)}`;
  if (share > 0 && share < 0.001) return "<0.1%";
  if (share < 1 && share > 0.999) return ">99.9%";
  return `${Number((share * 100).toFixed(1))}%`;
}

/**
 * A count with a comma at every thousand.
 * @param {number|string|null} count @returns {string}
 */
export function many(count) {
  return count === null ? "–" : typeof count === "number" ? count.toLocaleString("en") : count;
}

/**
 * A count with its word, which is one thing or several.
 * @param {number|string} count @param {string} word @returns {string}
 */
export function quantity(count, word) {
  return `${many(count)} ${word}${count === 1 ? "" : "s"}`;
}

/**
 * A number with three digits, or a dash.
 * @param {number|null} value
 * @returns {string}
 */
export function decimal(value) {
  return value === null ? "–" : Number(value.toFixed(3)).toString();
}

/**
 * An estimate of people or of a share.
 * @param {number|string|null} value
 * @param {string} unit
 * @returns {string}
 */
export function estimate(value, unit) {
  if (value === null) return "–";
  if (unit === "share") return percent(value);
  return typeof value === "string" || value >= 10 ? many(typeof value === "string" ? value : Math.round(value)) : decimal(value);
}

/**
 * A share as a number, where a bound stands for it that bound.
 * @param {number|string} share
 * @returns {number}
 */
export function number(share) {
  return typeof share === "string" ? Number(share.slice(1)) : share;
}
