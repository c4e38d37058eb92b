// Elements made without markup, and numbers as the reports write them.

const NOTHING = "–";
const TESTS = {
  mis: { reads: "mutual information", unit: "bits" },
  kld: { reads: "Kullback-Leibler distance", unit: "bits" },
  cst: { reads: "Pearson's statistic", unit: "" },
  dqt: { reads: "Dixon's coefficient", unit: "" },
  seq: { reads: "odds against the baseline", unit: "" },
};
const REASONS = {
  safe: "All tests are passed with this record.",
  peculiar: "With this record a limit would be exceeded.",
  "unknown value": "The baseline has no such value.",
  "unknown target": "The baseline has no such target.",
  repeated: "The record was already released.",
  gone: "The record is no longer in the holder's table, or has changed.",
};

const at = (id) => document.getElementById(id);
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
const title = (test) => capital(TESTS[test].reads);

// Characters that are not seen, or turn the direction of writing, as JSON writes them.
const UNSEEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e" +
    "\\u2060-\\u2069\\ufeff\\ufff9-\\ufffb]",
  "g",
);
const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const visible = (part) => (typeof part === "string" ? part.replace(UNSEEN, escaped) : part);

function make(name, attributes = {}, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, visible(value));
  made.append(...inside.map(visible));
  return made;
}

const many = (count) => count.toLocaleString("en-GB");
const counted = (count, one, several = `${one}s`) => `${many(count)} ${count === 1 ? one : several}`;

function number(value) {
  if (value === null || value === undefined) return NOTHING;
  const size = Math.abs(value);
  if (value === 0 || (size >= 1e-4 && size < 1e6)) return String(Number(value.toPrecision(4)));
  return value.toExponential(2);
}

// What runs from 0 to 1; what is not quite either does not look as if it were.
function rate(value) {
  if (value === null) return NOTHING;
  const said = value.toFixed(3);
  if (said === "1.000" && value < 1) return ">0.999";
  return said === "0.000" && value > 0 ? "<0.001" : said;
}

function percent(share) {
  if (share === null) return NOTHING;
  if (share > 0 && share < 0.001) return "<0.1%";
  if (share > 0.999 && share < 1) return ">99.9%";
  return `${Number((100 * share).toFixed(1))}%`;
}

// Two numbers with as many digits as it takes to distinguish them.
function apart(one, other) {
  for (let digits = 3; digits < 12; digits += 1) {
    const said = [one, other].map((value) => value.toPrecision(digits));
    if (said[0] !== said[1]) return said;
  }
  return [String(one), String(other)];
}

// How much of a limit is used, 1 being all of it; null where a test cannot be carried out.
const used = (value, critical) => (value === null || !critical ? null : value / critical);

const moment = (time) => time.replace("T", " ").slice(0, 19);

function lasting(since) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1000));
  if (seconds < 60) return counted(seconds, "second");
  if (seconds < 3600) return counted(Math.floor(seconds / 60), "minute");
  if (seconds < 172800) return counted(Math.floor(seconds / 3600), "hour");
  return counted(Math.floor(seconds / 86400), "day");
}

// A table in a box that scrolls. A column is [title, what a row has there, "number" or nothing].
function table(caption, columns, rows) {
  const head = columns.map(([name, , kind]) => make("th", { scope: "col", class: kind ?? "short" }, name));
  const lines = rows.map((row) => {
    const cells = columns.map(([, cell, kind]) => make("td", { class: kind ?? "short" }, cell(row)));
    return make("tr", {}, ...cells);
  });
  const inside = make(
    "table",
    {},
    make("caption", { class: "said" }, caption),
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...lines),
  );
  return make("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" }, inside);
}

function facts(pairs) {
  const lines = pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
  return make("dl", { class: "facts" }, ...lines);
}

// Put something else in a place; where it scrolled to and what had the focus stay.
function place(inside, ...made) {
  const active = document.activeElement;
  const held = inside.contains(active) ? active.dataset.name : undefined;
  const before = inside.querySelector(".scroll");
  const [across, down] = [before?.scrollLeft ?? 0, before?.scrollTop ?? 0];
  inside.replaceChildren(...made);
  inside.querySelector(".scroll")?.scrollTo(across, down);
  if (held !== undefined) inside.querySelector(`[data-name="${CSS.escape(held)}"]`)?.focus();
}

function say(id, words) {
  at(id).textContent = words;
  at(id).hidden = !words;
}

function sign(id, outcome, words) {
  const signs = { pass: "✓", warn: "!", fail: "✕", open: "?" };
  at(id).className = `outcome ${outcome}`;
  const mark = make("span", { class: "sign", "aria-hidden": "true" }, signs[outcome]);
  at(id).replaceChildren(mark, ` ${words}`);
}

// How a guarded table stands, in a line.
function tableLine(one) {
  const reasons = Object.entries(one.refused_by_reason).map(([reason, count]) => `${reason} ${many(count)}`);
  const refused = reasons.length ? ` (${reasons.join(", ")})` : "";
  const spent = one.budget === null ? "" : `, epsilon spent ${one.spent} by ${counted(one.analysts.length, "analyst")}`;
  const locked = one.read_only === null ? "" : `. Read-only: ${one.read_only}`;
  return `${one.dataset}: ${counted(one.answered, "query", "queries")} answered, ${many(one.refused)} refused${refused}${spent}${locked}`;
}
