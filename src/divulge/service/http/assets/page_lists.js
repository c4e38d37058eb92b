// Who waits, what was decided, and what it is held to.

function showQueue({ waiting, queue }) {
  const first = waiting > queue.length ? ` The first ${many(queue.length)} are listed.` : "";
  const who = `${counted(waiting, "request waits", "requests wait")}, first come first tried.`;
  at("queue-says").textContent = waiting === 0 ? "Nobody waits." : who + first;
  const columns = [
    ["ticket", (one) => make("code", {}, one.ticket)],
    ["since (UTC)", (one) => moment(one.at)],
    ["for", (one) => lasting(one.at), "number"],
    ["entry", (one) => many(one.arrived), "number"],
  ];
  place(at("queue-list"), ...(queue.length ? [table("Requests that wait", columns, queue)] : []));
}

function showDecisions(entries, total, open) {
  const [last, first] = [entries[0]?.index ?? 0, entries.at(-1)?.index ?? 0];
  const these = `Entries ${many(first)} to ${many(last)}`;
  at("decisions-say").textContent = `${these} of ${many(total)}, the newest first.`;
  const opener = (one) => {
    const words = `Open entry ${many(one.index)}`;
    const made = button(`entry-${one.index}`, many(one.index), () => open(one.index), words);
    made.className = "link";
    return made;
  };
  const counts = (value) => (value === undefined ? NOTHING : many(value));
  const columns = [
    ["entry", opener, "number"],
    ["time (UTC)", (one) => moment(one.at)],
    ["what", (one) => what(one)],
    ["reason", (one) => one.body.reason ?? NOTHING],
    ["policy", (one) => counts(one.body.policy), "number"],
    ["outside", (one) => counts(one.body.outside), "number"],
    ["waiting", (one) => counts(one.body.waiting), "number"],
  ];
  place(at("decisions-list"), table("Entries of the log, the newest first", columns, entries));
  at("turning").hidden = total <= entries.length;
  at("newest").disabled = at("newer").disabled = last >= total;
  at("older").disabled = first <= 1;
}

function what({ kind, body }) {
  if (kind === "decision") return body.verdict;
  return kind === "left" ? "left the queue" : kind;
}

function button(name, words, press, label) {
  const attributes = { type: "button", class: "opener", "data-name": name, "aria-label": label };
  const made = make("button", attributes, words);
  made.addEventListener("click", press);
  return made;
}

// All versions, with a way to approve those that somebody else has proposed; nobody may where `by` is null.
function showPolicies(policies, by, approve) {
  const rules = ({ rules: { tests, alpha, familywise } }) =>
    `${initials(tests)} at ${number(alpha)}${familywise ? " for the whole set" : ""}`;
  const details = ({ rules: { degrees, merging, samples, seed } }) =>
    `degrees ${degrees}, merging ${merging}, ${many(samples)} samples, seed ${seed}`;
  const state = (one) => {
    if (one.status !== "proposed" || by === null || one.proposed_by === by) return one.status;
    const words = `Approve version ${one.version}`;
    return button(`policy-${one.version}`, "Approve", () => approve(one), words);
  };
  const columns = [
    ["version", (one) => String(one.version), "number"],
    ["status", state],
    ["tests and alpha", rules],
    ["details", details],
    ["proposed by", (one) => one.proposed_by],
    ["approved by", (one) => one.approved_by ?? NOTHING],
    ["digest", (one) => make("code", {}, one.digest.slice(0, 12))],
  ];
  const made = table("Versions of the policy, the newest first", columns, policies.toReversed());
  place(at("policies-list"), made);
}

// A proposal begins with what is in force.
function showRules(rules) {
  for (const field of at("proposal").elements) {
    if (field.type === "checkbox") field.checked = rules.tests.includes(field.value);
    else if (field.name) field.value = rules[field.name] ?? "";
  }
}
