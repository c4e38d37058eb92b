// What the attacker knows of a person, and the population that the table is a sample of.
import { byId, estimate, make, show, table } from "./dom.js";
import { askBeside, change } from "./api.js";
import { whenSeen } from "./in_sight.js";

const WAYS = [["", "not known, or no sample"], ["fraction", "a share of the population"], ["size", "a number of people"],
  ["weight", "weights of records"], ["source", "a table of the population"]];
/**
 * The way that was picked and has no value yet.
 * @type {string|null}
 */
let picked = null;

/**
 * @param {any} told
 * @param {(told: any) => void} shown
 */
export function showAttacker(told, shown) {
  const keys = told.attributes.filter((/** @type {any} */ one) => one.role === "quasi-identifier");
  const known = new Set(told.choices.known);
  show("attacker",
    make("div", { class: "checks" }, ...keys.map((/** @type {any} */ one) => make("label", {},
      make("input", {
        type: "checkbox", name: `known-${one.name}`, checked: known.has(one.name),
        onchange: async (/** @type {any} */ event) => {
          if (event.target.checked) known.add(one.name);
          else known.delete(one.name);
          shown(await change({ known: [...known] }));
        },
      }), one.name))),
    make("h3", {}, "The population"),
    population(told, shown),
    make("div", { id: "population" }));
}

/**
 * Figures of the population, of this release.
 * @param {any} told
 */
export function showPopulation(told) {
  if (!told.figures || told.choices.known.length === 0 || !sampled(told)) {
    byId("population").replaceChildren();
    return;
  }
  byId("population").classList.add("outdated");
  whenSeen("population", () => askBeside("population"), (found) => !found.estimating, estimated);
}

/**
 * Whether something says what the table is a sample of.
 * @param {any} told
 */
function sampled(told) {
  return WAYS.some(([way]) => way !== "" && way in told.choices.population) || Boolean(told.reading.weights);
}

/**
 * What the table is a sample of.
 * @param {any} told
 * @param {(told: any) => void} shown
 */
function population(told, shown) {
  const said = told.choices.population;
  const way = picked ?? WAYS.map(([name]) => name).find((name) => name in said) ?? "";
  const { fraction: _, size: __, weight: ___, source: ____, ...others } = said;
  const take = async (/** @type {string} */ name, /** @type {any} */ value) => {
    picked = null;
    shown(await change({ population: value === "" || value === null ? {} : { ...others, [name]: value } }));
  };
  return make("div", { class: "row" },
    make("label", {}, "The table is a sample, by", make("select", {
      name: "sampled", onchange: async (/** @type {any} */ event) => {
        picked = event.target.value || null;
        if (event.target.value === "") await take("", "");
        else showAttacker(told, shown);
      },
    }, ...WAYS.map(([name, words]) => make("option", { value: name, selected: name === way }, words)))),
    way === "" ? null : field(way, way in said ? said[way] : null, told, take));
}

/**
 * @param {string} way
 * @param {any} value
 * @param {any} told
 * @param {(name: string, value: any) => Promise<void>} take
 */
function field(way, value, told, take) {
  if (way === "fraction" || way === "size") {
    const share = way === "fraction";
    return make("label", {}, share ? "Share of the population that is in the table, in percent" : "People of the population",
      make("input", {
        type: "number", name: way, min: 0, max: share ? 100 : null, step: "any", value: value === null ? "" : share ? value * 100 : value,
        onchange: (/** @type {any} */ event) => take(way, event.target.value === "" ? null : Number(event.target.value) / (share ? 100 : 1)),
      }));
  }
  const names = way === "source" ? told.files_beside : told.attributes.filter((/** @type {any} */ one) => one.role === "other").map((/** @type {any} */ one) => one.name);
  return make("label", {}, way === "source" ? "A file beside the table" : "Attribute with the weights",
    make("select", { name: way, onchange: (/** @type {any} */ event) => take(way, event.target.value) },
      make("option", { value: "", selected: value === null }, names.length ? "choose" : "there is none"),
      ...names.map((/** @type {string} */ name) => make("option", { value: name, selected: name === value }, name))));
}

/** @param {any} found */
function estimated(found) {
  const place = byId("population");
  if (found?.estimating && place.querySelector("table")) return; // what was found before stays until then
  place.classList.remove("outdated");
  place.replaceChildren(!found ? "" : found.estimating
    ? make("p", { class: "soft small" }, "Estimating what the release says of the population …")
    : found.undefined ? make("p", {}, `Not estimated: ${found.undefined}`)
    : table(["In the population, by what the attacker knows", ""], found.figures.map((/** @type {any} */ one) => [one.title, words(one)])));
}

/** @param {any} one */
function words(one) {
  const ends = one.interval === null ? [] : one.interval.map((/** @type {number} */ end) => estimate(end, one.unit));
  if (one.value === null) return one.undefined ?? `${ends[0]} to ${ends[1]}`;
  return estimate(one.value, one.unit) + (ends.length === 0 ? "" : ` (${ends[0]} to ${ends[1]})`);
}
