// The records at most risk.
import { byId, make, many, show, table } from "./dom.js";
import { ask } from "./api.js";

/** @param {any} told */
export function showRecords(told) {
  if (!told.figures) {
    show("records", "");
    return;
  }
  show("records", make("p", { class: "soft small" }, "The records in the smallest groups, before any is suppressed."),
    make("button", {
      type: "button", id: "find-records",
      onclick: async () => {
        const found = await ask("records");
        if (found) listed(found.records, told.unlocked);
      },
    }, "Find them"), make("div", { id: "risky" }));
}

/**
 * @param {RiskyRecordEntry[]} records
 * @param {boolean} unlocked
 */
function listed(records, unlocked) {
  if (records.length === 0) {
    byId("risky").replaceChildren(make("p", {}, "No record is in a group below the least size."));
    return;
  }
  const names = Object.keys(records[0].values);
  byId("risky").replaceChildren(
    table(["row", "people in its group", "unique by", "single change that protects it", ...names], records.map((one) => [
      one.row, many(one.group),
      one.unique_by.map((/** @type {string[]} */ set) => set.join(" + ")).join("; ") || "–",
      one.protected_by.map((/** @type {any} */ by) => `${by.attribute} to level ${by.level}`).join(", ") || "none alone",
      ...names.map((name) => one.values[name]),
    ])),
    unlocked ? "" : make("p", { class: "soft small" }, "Show values, under Data, unmasks them; the session file notes when."));
}
