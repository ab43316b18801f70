// An hour or three by the minute, or a day by five: bars for what is counted, a line for lag.

import { clock, count, duration, h, s } from "./parts.js";

const HEIGHT = 96, BASE = 78, AROUND = 34;
const CHARTS = [
  { name: "Rows", of: (minute) => minute.rows, isCounted: true, text: count },
  { name: "Read lag, worst shard", of: (minute) => (minute.lag_ms === null ? null : minute.lag_ms / 1000), text: duration, isLine: true },
  { name: "Dead letters", of: (minute) => minute.dead_letters, text: count, isCounted: true, isBad: true },
  { name: "Rejected rows", of: (minute) => minute.rejected_rows, text: count, isCounted: true, isBad: true },
];

export function drawCharts(place, minutes, span, now, every) {
  const last = Math.floor(new Date(now) / 60000 / every);
  const sums = new Map();
  for (const each of minutes) {
    const step = Math.floor(each.minute / every);
    const sum = sums.get(step) ?? { rows: 0, dead_letters: 0, rejected_rows: 0, lag_ms: null };
    for (const name of ["rows", "dead_letters", "rejected_rows"]) sum[name] += each[name];
    if (each.lag_ms !== null) sum.lag_ms = Math.max(sum.lag_ms ?? 0, each.lag_ms);
    sums.set(step, sum);
  }
  const steps = span / every, first = last - steps + 1;
  const points = Array.from({ length: steps }, (_, index) => [(first + index) * every, sums.get(first + index)]);
  const style = getComputedStyle(place), columns = style.gridTemplateColumns.split(" ").length;
  const width = Math.max(160, (place.clientWidth - (columns - 1) * parseFloat(style.columnGap)) / columns - AROUND);
  place.replaceChildren(...CHARTS.map((chart) => figure(chart, points, every, Math.floor(width))));
}

function figure(chart, points, every, width) {
  const values = points.map(([, minute]) => (minute ? chart.of(minute) : null));
  const known = values.filter((value) => value !== null);
  const top = nice(Math.max(...known, 0)), step = width / points.length;
  const name = chart.isCounted ? `${chart.name} ${every === 1 ? "a minute" : `in ${every} minutes`}` : chart.name;
  const latest = known.at(-1) ?? null, most = Math.max(...known, 0);
  const y = (value) => BASE - (top ? (value / top) * (BASE - 8) : 0);
  const label = `${name}: latest ${latest === null ? "none" : chart.text(latest)}, highest ${chart.text(most)} within ${points.length * every} minutes`;
  const lines = [0, 0.5, 1].map((part) => s("line", { class: "grid", x1: 0, x2: width, y1: y(part * top), y2: y(part * top)}));
  const marks = chart.isLine ? line(values, step, y) : bars(chart, points, values, step, y);
  return h("figure", { class: "chart card" },
    h("figcaption", {}, name, h("b", {}, latest === null ? "–" : chart.text(latest))),
    s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label },
      lines, marks,
      s("text", { x: 0, y: y(top) - 3 }, top ? chart.text(top) : ""),
      s("text", { x: 0, y: HEIGHT - 4 }, clock(points[0][0] * 60000)),
      s("text", { x: width, y: HEIGHT - 4, "text-anchor": "end" }, clock(points.at(-1)[0] * 60000))));
}

function bars(chart, points, values, step, y) {
  return values.map((value, index) => (value ? s("rect", { class: chart.isBad ? "bad" : "", x: index * step + step * 0.12, width: step * 0.76, y: Math.min(y(value), BASE - 1), height: Math.max(1, BASE - y(value)), rx: Math.min(1.5, step / 4) },
    s("title", {}, `${clock(points[index][0] * 60000)}: ${chart.text(value)}`)) : null));
}

// A minute in which no epoch ended has no value: the line goes on where the next one has.
function line(values, step, y) {
  const known = values.map((value, index) => [index * step + step / 2, value]).filter(([, value]) => value !== null);
  if (!known.length) return [];
  const path = known.map(([x, value], index) => `${index ? "L" : "M"}${x.toFixed(1)},${y(value).toFixed(1)}`).join("");
  const [first, end] = [known[0][0], known.at(-1)[0]];
  return [s("path", { class: "area", d: `${path}L${end},${BASE}L${first},${BASE}Z` }), s("path", { class: "line", d: path })];
}

function nice(value) {
  if (value <= 0) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= value);
}
