// One entry of the log, opened.

const NAMED = {
  verdict: "outcome",
  reason: "reason",
  policy: "version of the policy",
  digest: "digest of the policy",
  outside: "records released after it",
  waiting: "requests waiting after it",
  tickets: "tickets",
  record: "digest of the record",
  cell: "digest of its cell",
  checker: "decided by",
};

function plain(value) {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "number" ? number(value) : String(value ?? NOTHING);
}

function showEntry(entry, index, total) {
  at("entry-title").textContent = `Entry ${many(index)}${entry ? `: ${outcome(entry.kind, entry.body.verdict)}` : ""}`;
  say("entry-says", REASONS[entry?.body.reason] ?? "");
  at("entry-body").replaceChildren(...(entry ? told(entry) : []));
  at("before").disabled = index <= 1;
  at("after").disabled = index >= total;
}

function told({ at: time, kind, body: { exposures = [], ...body }, hash, seal }) {
  const names = new Set([...Object.keys(NAMED), ...Object.keys(body)]);
  const known = [...names].filter((name) => name in body);
  const parts = known.map((name) => [NAMED[name] ?? name, plain(body[name])]);
  const columns = [
    ["test", ([test]) => title(test)],
    ["value", ([, value]) => number(value), "number"],
    ["limit", ([, , critical]) => number(critical), "number"],
    ["used", ([, value, critical]) => percent(used(value, critical)), "number"],
  ];
  const list = facts([["time", time], ["kind", kind], ...parts, ["hash", hash], ["holder's seal", seal]]);
  return exposures.length ? [table("Limits used after it", columns, exposures), list] : [list];
}
