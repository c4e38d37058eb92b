// The state of a dataset, in words and in a few numbers.

// The value of a test and its limit, in words.
function reads({ test, target, value, critical }) {
  const [one, other] = apart(value, critical);
  const of = target === null ? "" : ` of ${target}`;
  return `${TESTS[test].reads}${of} is ${one}, limit ${other} ${TESTS[test].unit}`.trim();
}

const sharing = (one) =>
  percent(used(one.value, one.critical)).replace(">", "More than ").replace("<", "Less than ");

// What the share of a limit that is used implies: how many more records could be released.
const room = ({ requested, released }) =>
  `About ${Math.round(released)} of the next ${requested} typical records could be released.`;

// Where no record of a target could be released, whatever its value.
function stuck({ stuck_targets: none, expected_targets: targets }) {
  if (!none) return [];
  return [`Stuck: no record of ${none} of ${counted(targets, "target")} could be released, whatever its value.`];
}

// What rules would do that are not in force yet.
function wouldDo(trial) {
  const { waiting, would_leave: leave, within_limits: within } = trial;
  const said = [`If it were active now, ${many(leave)} of ${counted(waiting, "waiting record")} would be released.`];
  if (!within) said.push("The released records would exceed a limit.");
  return [...said, ...stuck(trial), ...trial.warnings].join(" ");
}

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
  const wait = waiting === 0 ? "no requests waiting" : `${counted(waiting, "request")} waiting`;
  at("headline").textContent = `${many(outside)} of ${counted(records, "record")} released, ${wait}`;
  const said = [];
  if (status.read_only) said.push(`${status.read_only} Nothing is decided until it is reconciled.`);
  if (over.length) said.push(`The released records exceed ${counted(over.length, "limit")} of the active policy.`);
  if (near === null) said.push("Too few records are released for a test to be carried out.");
  else said.push(`${sharing(near)} of the closest limit is used: ${reads(near)}.`);
  if (near !== null) said.push("The first records use most of a limit, and later ones little.");
  said.push(room(status.typical), ...stuck(status));
  at("sentences").replaceChildren(...said.map((sentence) => make("p", {}, sentence)));
  const entries = counted(status.entries, "log entry", "log entries");
  at("read").textContent = `Updated ${moment(new Date().toISOString())} UTC, after ${entries}.`;
  const { tests, alpha, familywise } = status.policy.rules;
  const level = `${number(alpha)}${familywise ? " for the whole set" : ""}`;
  say("held-to", `Tests: ${initials(tests)}, alpha ${level} (policy version ${status.policy.version})`);
  showNumbers(status, near);
}

function showNumbers(status, near) {
  const share = percent(status.outside / (status.records || 1));
  const told = [
    ["Records released", many(status.outside), `of ${many(status.records)}, ${share}`],
    ["Requests waiting", many(status.waiting), "tried again after every release"],
    ["Closest limit used", NOTHING, "no test could be carried out"],
    ["Discrimination rate", rate(status.discrimination_rate), "information about targets in the released values"],
    ["ITPR", rate(status.itpr), "the same, for the most revealing value"],
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
    ["value", (one) => number(one.value), "number"],
    ["limit", (one) => number(one.critical), "number"],
    ["used", (one) => percent(used(one.value, one.critical)), "number"],
  ];
  unfold("now-data", () => table("All limits now", columns, status.exposures));
}
