// How a dataset stands, in words and in a few numbers.

// What a test reads against its limit, in words.
function reads({ test, target, value, critical }) {
  const [one, other] = apart(value, critical);
  const of = target === null ? "" : ` of ${target}`;
  return `${TESTS[test].reads}${of} reads ${one} against ${other} ${TESTS[test].unit}`.trim();
}

const sharing = (one) =>
  percent(used(one.value, one.critical)).replace(">", "More than ").replace("<", "Less than ");

// For each test the figure nearest to its limit; its target is named unless few of its records are outside.
function worst({ worst: figures, exposures }) {
  return figures.map(([test, value, critical]) => {
    const same = (one) => one.test === test && one.value === value && one.critical === critical;
    return exposures.find(same) ?? { test, target: null, value, critical };
  });
}

function nearest(exposures) {
  const known = exposures.filter((one) => used(one.value, one.critical) !== null);
  known.sort((one, other) => used(other.value, other.critical) - used(one.value, one.critical));
  return known[0] ?? null;
}

const initials = (tests) => tests.map((test) => test.toUpperCase()).join(", ");

function showVerdict(status) {
  const { outside, records, waiting } = status;
  const over = status.exposures.filter((one) => !one.safe);
  const near = nearest(worst(status));
  let [kind, word] = over.length ? ["fail", "Over a limit"] : ["pass", "Within the limits"];
  if (status.read_only) [kind, word] = ["warn", "Read-only"];
  at("verdict").className = `verdict ${kind}`;
  sign("outcome", kind, word);
  const wait = waiting === 0 ? "nobody waits" : counted(waiting, "request waits", "requests wait");
  const out = `${many(outside)} of ${counted(records, "record")} ${outside === 1 ? "is" : "are"} outside`;
  at("headline").textContent = `${out}, ${wait}`;
  const said = [];
  if (status.read_only) said.push(`${status.read_only} Nothing is decided until it is reconciled.`);
  if (near === null) said.push("Too few records are outside for a test to be carried out.");
  else said.push(`${sharing(near)} of the nearest limit is used: ${reads(near)}.`);
  if (over.length) {
    said.push(`What is outside does not stay below ${counted(over.length, "limit")} of the policy in force.`);
  }
  at("sentences").replaceChildren(...said.map((sentence) => make("p", {}, sentence)));
  const entries = counted(status.entries, "entry", "entries");
  at("read").textContent = `Read at ${moment(new Date().toISOString())} UTC, after ${entries} of the log.`;
  const { tests, alpha, familywise } = status.policy.rules;
  const version = `version ${status.policy.version} of the policy`;
  const level = `${number(alpha)}${familywise ? " for the whole set" : ""}`;
  say("held-to", `Held to ${initials(tests)} at an alpha of ${level}, ${version}.`);
  showNumbers(status, near);
}

function showNumbers(status, near) {
  const share = percent(status.outside / (status.records || 1));
  const told = [
    ["records outside", many(status.outside), `of ${many(status.records)}, ${share}`],
    ["requests waiting", many(status.waiting), "tried again after every release"],
    ["nearest limit used", NOTHING, "no test could be carried out"],
    ["discrimination rate", rate(status.discrimination_rate), "how far the values outside tell the targets"],
    ["ITPR", rate(status.itpr), "the same, of the value that tells most"],
  ];
  if (near) told[2].splice(1, 2, percent(used(near.value, near.critical)), TESTS[near.test].reads);
  at("numbers").replaceChildren(
    ...told.map(([name, value, meaning]) =>
      make("div", {}, make("dt", {}, name), make("dd", { class: "value" }, value), make("dd", {}, meaning)),
    ),
  );
  const columns = [
    ["test", (one) => title(one.test)],
    ["target", (one) => one.target ?? "all together"],
    ["reads", (one) => number(one.value), "number"],
    ["limit", (one) => number(one.critical), "number"],
    ["used", (one) => percent(used(one.value, one.critical)), "number"],
  ];
  unfold("now-data", () => table("Every limit as it stands now", columns, status.exposures));
}
