// How a dataset came to stand as it does: charts over the log, with their data.

const folded = new Map(); // what stands in parts that are folded, made once they are opened

function unfold(id, made) {
  folded.set(id, made);
  place(at(id).lastElementChild, ...(at(id).open ? [made()] : []));
}

// How the dataset stands now, after the points of its series: an entry that changes nothing has none.
function upToNow(points, { entries: index, outside, waiting, worst: exposures }) {
  if (points.length === 0 || points.at(-1).index >= index) return points;
  return [...points, { index, outside, waiting, exposures }];
}

function exposureOf(point, test) {
  const [, value, critical] = point.exposures.find(([name]) => name === test) ?? [test, null, null];
  return { value, critical, share: used(value, critical) };
}

function showExposure(points) {
  const carriedOut = (test) => points.some((one) => exposureOf(one, test).share !== null);
  const tests = Object.keys(TESTS).filter(carriedOut);
  at("no-exposure").hidden = tests.length > 0;
  at("exposure-data").hidden = tests.length === 0;
  const asked = tests.map((test) => {
    const drawn = points.map((one) => [one.index, exposureOf(one, test).share]);
    const shares = drawn.map(([, share]) => share).filter((share) => share !== null);
    const last = drawn.at(-1)[1];
    const says =
      `The share of its limit over ${many(points.at(-1).index)} entries of the log: at most ` +
      `${percent(Math.max(...shares))}, ${last === null ? "not carried out" : percent(last)} at the end.`;
    const scale = { most: ABOVE * Math.max(1, ...shares), format: percent, height: 230, limit: 1 };
    return { name: `exposure-${test}`, title: title(test), says, points: drawn, ...scale };
  });
  figures(at("exposure-charts"), asked);
  const columns = [["entry", (one) => many(one.index), "number"]];
  for (const test of tests) {
    const name = test.toUpperCase();
    columns.push([`${name} reads`, (one) => number(exposureOf(one, test).value), "number"]);
    columns.push([`${name} limit`, (one) => number(exposureOf(one, test).critical), "number"]);
    columns.push([`${name} used`, (one) => percent(exposureOf(one, test).share), "number"]);
  }
  unfold("exposure-data", () => table("Exposure after entries of the log", columns, points.toReversed()));
}

function showFlow(points) {
  at("no-flow").hidden = points.length > 0;
  at("flow-data").hidden = points.length === 0;
  const fields = points.length === 0 ? {} : { outside: "Records outside", waiting: "Requests waiting" };
  const asked = Object.entries(fields).map(([field, heading]) => {
    const drawn = points.map((one) => [one.index, one[field]]);
    const top = Math.max(...drawn.map(([, count]) => count));
    const says =
      `${heading} over ${many(points.at(-1).index)} entries of the log: at most ${many(top)}, ` +
      `${many(drawn.at(-1)[1])} at the end.`;
    const scale = { most: Math.max(4, 1.08 * top), format: many, height: 210, steps: true };
    return { name: `flow-${field}`, title: heading, says, points: drawn, ...scale };
  });
  figures(at("flow-charts"), asked);
  const columns = [
    ["entry", (one) => many(one.index), "number"],
    ["records outside", (one) => many(one.outside), "number"],
    ["requests waiting", (one) => many(one.waiting), "number"],
  ];
  unfold("flow-data", () => table("Records outside and requests waiting", columns, points.toReversed()));
}
