// Waiting requests, decisions, and versions of the policy.

function showQueue({ waiting, queue }) {
  const first = waiting > queue.length ? ` The first ${many(queue.length)} are listed.` : "";
  const who = `${counted(waiting, "request")} waiting, tried in order of arrival.`;
  at("queue-says").textContent = waiting === 0 ? "No requests are waiting." : who + first;
  const columns = [
    ["ticket", (one) => make("code", {}, one.ticket)],
    ["since (UTC)", (one) => moment(one.at)],
    ["waiting for", (one) => lasting(one.at), "number"],
  ];
  place(at("queue-list"), ...(queue.length ? [table("Waiting requests", columns, queue)] : []));
}

// Each decision with its time, outcome and reason; an auditor, who has `open`, can open its entry in the log.
function showDecisions(entries, total, open) {
  const [last, first] = [entries[0]?.index ?? 0, entries.at(-1)?.index ?? 0];
  const these = `Entries ${many(first)} to ${many(last)} of ${many(total)}, newest first.`;
  at("decisions-say").textContent = open ? these : `${these} An auditor's key opens the entries.`;
  const opener = (one) => {
    const words = `Open entry ${many(one.index)}`;
    const made = button(`entry-${one.index}`, many(one.index), () => open(one.index), words);
    made.className = "link";
    return made;
  };
  const counts = (value) => (value === null ? NOTHING : many(value));
  const columns = [
    ["time (UTC)", (one) => moment(one.at)],
    ["outcome", (one) => outcome(one.kind, one.verdict)],
    ["reason", (one) => REASONS[one.reason] ?? one.reason ?? (one.by ? `by ${one.by}` : NOTHING)],
    ["policy", (one) => counts(one.policy), "number"],
    ["released", (one) => counts(one.outside), "number"],
    ["waiting", (one) => counts(one.waiting), "number"],
    ["entry", open ? opener : (one) => many(one.index), "number"],
  ];
  place(at("decisions-list"), table("Decisions, newest first", columns, entries));
  at("turning").hidden = total <= entries.length;
  at("newest").disabled = at("newer").disabled = last >= total;
  at("older").disabled = first <= 1;
}

function outcome(kind, verdict) {
  if (kind === "decision") return verdict;
  return kind === "left" ? "released after waiting" : kind;
}

function button(name, words, press, label) {
  const attributes = { type: "button", class: "opener", "data-name": name, "aria-label": label };
  const made = make("button", attributes, words);
  made.addEventListener("click", press);
  return made;
}

// All versions, with a way to approve those that somebody else has proposed; nobody may where `person` is null.
// Whether two names are one person's is decided by the service, which refuses what this list may offer.
function showPolicies(policies, person, approve) {
  const rules = ({ rules: { tests, alpha, familywise } }) =>
    `${initials(tests)} at ${number(alpha)}${familywise ? " for the whole set" : ""}`;
  const odds = { each: "of each target", mean: "mean of the targets", joint: "of all targets together" };
  const details = ({ rules: { degrees, merging, samples, seed, form, known_counts, limits } }) =>
    `limits ${limits ?? "chi-square"}, degrees ${degrees}, merging ${merging}, ${many(samples)} samples, seed ${seed}` +
    `${form ? `, odds ${odds[form]}` : ""}${known_counts ? ", known counts" : ""}`;
  const state = (one) => {
    const signed = [one.proposed_by, ...one.approvals].includes(person);
    if (one.status !== "proposed" || person === null || signed) return one.status;
    const words = `Approve version ${one.version}`;
    return button(`policy-${one.version}`, "Approve", () => approve(one), words);
  };
  const approved = (one) => {
    const names = one.approvals.join(", ") || one.approved_by;
    if (one.status !== "proposed" || !one.approvals_needed) return names ?? NOTHING;
    const so = `${many(one.approvals.length)} of ${many(one.approvals_needed)}`;
    return names ? `${names} (${so})` : so;
  };
  const columns = [
    ["version", (one) => String(one.version), "number"],
    ["status", state],
    ["tests and alpha", rules],
    ["proposed by", (one) => one.proposed_by],
    ["approved by", approved],
    ["open until", (one) => (["proposed", "expired"].includes(one.status) && one.expires?.slice(0, 10)) || NOTHING],
    ["details", details],
    ["digest", (one) => make("code", {}, one.digest.slice(0, 12))],
  ];
  const made = table("Versions of the policy, newest first", columns, policies.toReversed());
  place(at("policies-list"), made);
}

// A proposal begins with what is in force.
function showRules({ rules, approval: { persons, days } }) {
  Object.assign(rules, { approvals: persons, open_days: days });
  for (const field of at("proposal").elements) {
    if (field.type === "checkbox") field.checked = rules.tests.includes(field.value);
    else if (field.name) field.value = rules[field.name] ?? ({ form: "each", limits: "chi-square" }[field.name] ?? "");
  }
}
