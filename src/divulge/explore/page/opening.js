// The first records, and how the table is read: its file, its columns, its labels.
import { make, show, table } from "./dom.js";
import { ask, change } from "./api.js";

const TYPES = ["number", "date", "code", "category"];
const WORDS = /** @type {Record<string, string>} */ ({
  number: "number (bands)", date: "date (month, year)", code: "code (first characters)", category: "category (rare ones merged)",
});
const TITLES = /** @type {Record<string, string>} */ ({
  separator: "Separator", quote: "Quotation mark", encoding: "Encoding", no_header: "The first line is a record", names: "Names of the columns",
  skip: "Lines to leave out at the beginning", comment: "Lines to leave out begin with", table: "Sheet", labels: "Value labels",
  missing_values: "Values that mean missing", missing: "A missing value is", suppressed: "Mark of suppressed cells",
});

const DETECTED = ["separator", "quote", "encoding"];
const CHOICES = /** @type {Record<string, string>} */ ({
  value: "a value of its own", drop: "a reason to leave the record out", wildcard: "any value", use: "used as values", ignore: "ignored: codes are kept",
});

/**
 * @param {ExplorerEntry} told
 * @param {(told: ExplorerEntry|null) => void} shown
 */
export async function showData(told, shown) {
  /** @type {OpeningEntry|null} */
  const found = await ask("preview");
  if (!found) return;
  const open = new Set([...document.querySelectorAll("#data details[open]")].map((one) => one.id));
  show("data",
    make("p", { class: "soft small" }, told.unlocked ? "The first records." : "The first records. Their values are masked."),
    make("div", { id: "first-records" }, table(found.names, found.rows)),
    told.unlocked ? null : make("p", {}, make("button", {
      type: "button", id: "unlock", onclick: async () => shown(await ask("unlock")),
    }, "Show values"), " ", make("span", { class: "soft small" }, "The session file notes when values were shown.")),
    make("details", { id: "columns-read", open: open.has("columns-read") },
      make("summary", {}, "Types and value labels"),
      make("p", { class: "soft small" }, "A type decides which hierarchy is made. It does not change the values."),
      columns(found, shown)),
    make("details", { id: "file-read", open: open.has("file-read") },
      make("summary", {}, `Read it differently (${found.kind})`), reading(found, shown)));
}

/**
 * @param {OpeningEntry} found
 * @param {(told: ExplorerEntry|null) => void} shown
 */
function columns(found, shown) {
  const labelled = found.columns.some((one) => one.labelled);
  return table(["attribute", "type", ...(labelled ? ["value labels in the file"] : [])], found.columns.map((one) => [
    one.name,
    make("select", {
      name: `type-${one.name}`, "aria-label": `Type of ${one.name}`,
      onchange: async (/** @type {any} */ event) => {
        const type = event.target.value;
        shown(await change({ types: { [one.name]: type === one.detected ? null : type }, hierarchies: { [one.name]: null } }));
      },
    }, ...TYPES.map((type) => make("option", { value: type, selected: type === one.type },
      type === one.detected ? `${WORDS[type]}, as detected` : WORDS[type]))),
    ...(labelled ? [labels(one)] : []),
  ]));
}

/** @param {ColumnReadEntry} one */
function labels(one) {
  if (!one.labelled) return "–";
  const more = one.labelled - one.labels.length;
  return make("details", {}, make("summary", {}, `${one.labelled} labels`),
    make("ul", { class: "small" }, ...one.labels.map(([code, label]) => make("li", {}, `${code}: ${label}`)),
      more > 0 ? make("li", {}, `and ${more} more`) : null));
}

/**
 * A form with what may be said of a file of this kind.
 * @param {OpeningEntry} found
 * @param {(told: ExplorerEntry|null) => void} shown
 */
function reading(found, shown) {
  const fields = found.options.map((one) => ({ one, field: /** @type {HTMLInputElement|HTMLSelectElement} */ (field(one)) }));
  return make("div", {},
    make("div", { class: "row" }, ...fields.map(({ one, field: input }) => make("label", { title: one.help }, TITLES[one.name] ?? one.name, input))),
    make("button", {
      type: "button", id: "read-again",
      onclick: async () => shown(await ask("read_again", Object.fromEntries(fields.map(({ one, field: input }) =>
        [one.name, one.flag ? /** @type {HTMLInputElement} */ (input).checked : input.value])))),
    }, "Read again"), " ",
    make("span", { class: "soft small" }, "Pins and undo are lost: they are of the table as it was read before. Separate several values by commas."));
}

/** @param {ReadingOptionEntry} one */
function field(one) {
  if (one.flag) return make("input", { type: "checkbox", name: `read-${one.name}`, checked: one.value !== "" });
  if (one.choices.length) {
    return make("select", { name: `read-${one.name}` }, ...one.choices.map((choice) => make("option", { value: choice, selected: choice === one.value }, CHOICES[choice] ?? choice)));
  }
  return make("input", { type: "text", name: `read-${one.name}`, value: one.value, placeholder: DETECTED.includes(one.name) ? "detected" : null, size: DETECTED.includes(one.name) ? 9 : 18 });
}
