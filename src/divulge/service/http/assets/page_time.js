// How a dataset came to its state: charts over time, with their data.

const folded = new Map(); // what stands in parts that are folded, made once they are opened

function unfold(id, made) {
  folded.set(id, made);
  place(at(id).lastElementChild, ...(at(id).open ? [made()] : []));
}

// The state now, after the points of the series: an entry that changes nothing has none.
function upToNow(points, { entries: index, outside, waiting, worst: exposures }) {
  if (points.length === 0 || points.at(-1).index >= index) return points;
  const at = [points.at(-1).at, new Date().toISOString()].sort().at(-1);
  return [...points, { index, at, outside, waiting, exposures }];
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
  const axis = tests.length ? axisOf(points) : null;
  const asked = tests.map((test) => {
    const values = points.map((one) => exposureOf(one, test).share);
    const shares = values.filter((share) => share !== null);
    const last = values.at(-1);
    const says =
      `The share of its limit that is used: at most ${percent(Math.max(...shares))}, ` +
      `${last === null ? "not carried out" : percent(last)} at the end.`;
    const scale = { most: ABOVE * Math.max(1, ...shares), format: percent, height: 230, limit: 1 };
    return { name: `exposure-${test}`, title: title(test), says, axis, values, ...scale };
  });
  figures(at("exposure-charts"), asked);
  const columns = [["time (UTC)", (one) => moment(one.at)]];
  for (const test of tests) {
    const name = test.toUpperCase();
    columns.push([`${name} value`, (one) => number(exposureOf(one, test).value), "number"]);
    columns.push([`${name} limit`, (one) => number(exposureOf(one, test).critical), "number"]);
    columns.push([`${name} used`, (one) => percent(exposureOf(one, test).share), "number"]);
  }
  unfold("exposure-data", () => table("Limits used over time", columns, points.toReversed()));
}

function showFlow(points) {
  at("no-flow").hidden = points.length > 0;
  at("flow-data").hidden = points.length === 0;
  const fields = points.length === 0 ? {} : { outside: "Records released", waiting: "Requests waiting" };
  const axis = points.length ? axisOf(points) : null;
  const asked = Object.entries(fields).map(([field, heading]) => {
    const values = points.map((one) => one[field]);
    const top = Math.max(...values);
    const says = `${heading}: at most ${many(top)}, ${many(values.at(-1))} at the end.`;
    const scale = { most: Math.max(4, 1.08 * top), format: many, height: 210, steps: true };
    return { name: `flow-${field}`, title: heading, says, axis, values, ...scale };
  });
  figures(at("flow-charts"), asked);
  const columns = [
    ["time (UTC)", (one) => moment(one.at)],
    ["records released", (one) => many(one.outside), "number"],
    ["requests waiting", (one) => many(one.waiting), "number"],
  ];
  unfold("flow-data", () => table("Records released and requests waiting", columns, points.toReversed()));
}
