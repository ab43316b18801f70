// Each shard as a lane: time runs from the trim horizon on the left to the shard's tip on the right, on a logarithmic scale.

import { at, count, duration, errorLink, h, s, shown } from "./parts.js";

const FEW = 40, WIDTH = 1000, HALF_S = 0.5, DAY_S = 86400, HOT = 0.1, LATE_S = 60;
const MARKS = [[0, "tip"], [1, "1 s"], [10, "10 s"], [60, "1 min"], [600, "10 min"], [3600, "1 h"], [6 * 3600, "6 h"], [DAY_S, "1 day"], [7 * DAY_S, "7 days"]];

let showsAll = false, filter = "", last = null;
const rows = new Map();

export const short = (shard) => shard.replace(/^shardId-0*(?=\d)/, "");

function stateOf(shard) {
  if (shard.has_ended) return ["ended", "ended"];
  if (shard.is_paused) return ["paused", "paused"];
  if (!shard.is_read) return ["unread", "not read"];
  if (shard.uncommitted_s >= 60) return ["unread", `nothing committed for ${duration(shard.uncommitted_s)}`];
  if (shard.is_idle) return ["idle", `idle ${duration(shard.idle_s)}`];
  return ["read", "read"];
}

// To what is said of it above, or else to the error's own page.
function problemLink(shard, problems) {
  if (!shard.problem) return null;
  const index = problems.findIndex((each) => each.id === shard.problem && ["", shard.stream].includes(each.stream) && (!each.shards.length || each.shards.includes(shard.shard)));
  return index < 0 ? errorLink(shard.problem, shard.problem_url) : h("a", { href: `#problem-${index}` }, shard.problem);
}

export function drawShards(status) {
  last = status;
  const span = Math.max(DAY_S, ...status.shards.map((each) => each.retention_s));
  const x = (lag) => WIDTH * (1 - Math.log1p(Math.min(lag, span) / HALF_S) / Math.log1p(span / HALF_S));
  const found = status.shards.filter((each) => `${each.stream}/${each.shard}`.toLowerCase().includes(filter));
  const worst = [...found].sort((one, other) => rank(other) - rank(one));
  const wanted = showsAll || filter ? worst.slice(0, 2000) : worst.slice(0, FEW);
  drawAxis(x, span);
  drawOverview(status.shards);
  const byName = (one, other) => one.stream.localeCompare(other.stream) || one.shard.localeCompare(other.shard);
  drawLanes(wanted.length < found.length ? wanted : wanted.sort(byName), status, x);
  const more = at("more");
  shown(more, found.length > FEW && !filter);
  more.textContent = showsAll ? `Show the ${FEW} with most lag` : `Show all ${found.length.toLocaleString("en")} shards`;
  at("shards-title").textContent = `Shards (${status.shards.filter((each) => !each.has_ended).length.toLocaleString("en")})`;
  drawLineage(status.shards);
}

export function listen() {
  at("more").addEventListener("click", () => { showsAll = !showsAll; if (last) drawShards(last); });
  at("filter").addEventListener("input", (event) => { filter = event.target.value.trim().toLowerCase(); if (last) drawShards(last); });
}

const rank = (shard) => (shard.has_ended ? -1 : (shard.is_read || shard.is_paused ? 0 : 1e9) + (shard.commit_lag_s ?? 0));

function drawAxis(x, span) {
  const marks = MARKS.filter(([lag]) => lag <= span && (lag < 7 * DAY_S || span > DAY_S));
  const texts = marks.map(([lag, text], index) => {
    const anchor = lag === 0 ? "end" : index === marks.length - 1 ? "start" : "middle";
    return h("span", { "data-at": (x(lag) / 10).toFixed(2), "data-anchor": anchor }, text);
  });
  const axis = at("axis");
  if (axis.dataset.span === String(span)) return;
  axis.dataset.span = String(span);
  axis.replaceChildren(...texts);
  for (const text of texts) {
    text.style.left = `${text.dataset.at}%`;
    text.style.transform = `translateX(${{ end: "-100%", start: "0", middle: "-50%" }[text.dataset.anchor]})`;
  }
}

function drawOverview(shards) {
  if (shards.length <= FEW) { at("overview").replaceChildren(); return; }
  const levels = shards.map((each) => [each, levelOf(each)]);
  const sums = [["bad", "not read"], ["l3", "over a minute behind"], ["l2", "over ten seconds"], ["l1", "over a second"], ["", "at the tip"], ["ended", "ended"]];
  const texts = sums.map(([level, text]) => [levels.filter(([, own]) => own === level).length, text]).filter(([number]) => number);
  const cells = levels.map(([each, level]) => h("i", { class: level, title: `${each.stream}/${each.shard}: ${stateOf(each)[1]} ${each.problem}, committed ${duration(each.commit_lag_s)} ago` }));
  at("overview").replaceChildren(
    h("div", { class: "cells", role: "img", "aria-label": texts.map(([number, text]) => `${number} ${text}`).join(", ") }, cells),
    h("p", {}, texts.map(([number, text]) => h("span", {}, `${number.toLocaleString("en")} ${text}`))),
  );
}

function levelOf(shard) {
  if (shard.has_ended) return "ended";
  if (!shard.is_read && !shard.is_paused) return "bad";
  const lag = shard.read_behind_s ?? shard.commit_lag_s ?? 0;
  return lag >= LATE_S ? "l3" : lag >= 10 ? "l2" : lag >= 1 ? "l1" : "";
}

function drawLanes(wanted, status, x) {
  const body = at("lanes").tBodies[0], streams = new Map();
  for (const each of wanted) {
    streams.set(each.stream, [...(streams.get(each.stream) ?? []), each]);
  }
  const elements = [];
  for (const [stream, shards] of streams) {
    elements.push(streamRow(stream, status));
    for (const each of shards) elements.push(lane(each, x, status.problems));
  }
  if (!elements.length) elements.push(h("tr", {}, h("td", { colspan: 7, class: "empty" }, filter ? "No shard has this in its name." : "No shard was read yet.")));
  body.replaceChildren(...elements);
}

function streamRow(stream, status) {
  const own = status.shards.filter((each) => each.stream === stream && !each.has_ended);
  const read = own.filter((each) => each.is_read).length;
  return h("tr", { class: "stream" }, h("th", { colspan: 7, scope: "rowgroup" }, stream, h("span", { class: "quiet" }, `${read.toLocaleString("en")} of ${own.length.toLocaleString("en")} read`)));
}

function lane(shard, x, problems) {
  const link = problemLink(shard, problems);
  const key = `${shard.stream}/${shard.shard}`, text = JSON.stringify([shard, link?.getAttribute("href")]), known = rows.get(key);
  if (known && known.text === text) return known.row;
  const [kind, state] = stateOf(shard);
  const hot = isHot(shard);
  const left = shard.time_to_trim_s;
  const row = h("tr", {},
    h("th", { scope: "row", title: shard.shard }, short(shard.shard)),
    h("td", {}, h("span", { class: `state ${kind}` }, h("i", { "aria-hidden": "true" }), state), link ? " " : null, link),
    h("td", { class: "picture" }, picture(shard, x, hot)),
    h("td", { class: "n", "data-name": "read lag" }, shard.has_ended ? "" : duration(shard.read_behind_s)),
    h("td", { class: "n", "data-name": "commit lag" }, shard.has_ended ? "" : duration(shard.commit_lag_s)),
    h("td", { class: hot ? "n hot-text" : "n", "data-name": "data loss in" }, left === null ? "" : duration(left)),
    h("td", { class: "n", "data-name": "rows" }, count(shard.rows), shard.rejected_rows ? h("span", { class: "hot-text", title: "rejected by the table" }, ` +${count(shard.rejected_rows)} rejected`) : null));
  rows.set(key, { text, row });
  return row;
}

const isHot = (shard) => shard.time_to_trim_s !== null && shard.retention_s > 0 && shard.time_to_trim_s < HOT * shard.retention_s;

// committed | sent | not read, and below it the fuse: how much of the stream's retention is left.
function picture(shard, x, hot) {
  const lag = shard.commit_lag_s, committed = lag === null ? 0 : x(lag);
  const read = shard.read_behind_s === null ? committed : Math.max(committed, x(shard.read_behind_s));
  const end = shard.has_ended ? committed : WIDTH;
  const parts = [s("rect", { class: "track", x: 0, y: 3, width: WIDTH, height: 12, rx: 3 })];
  const unreadS = shard.is_read ? shard.read_behind_s ?? 0 : lag ?? 0;
  if (!shard.has_ended && unreadS > 10) parts.push(s("rect", { class: "waits", x: read, y: 3, width: Math.max(0, end - read), height: 12 }));
  if (read > committed && (shard.unproven || shard.read_behind_s !== null)) parts.push(s("rect", { class: "sent", x: committed, y: 3, width: read - committed, height: 12 }));
  if (committed > 0) parts.push(s("rect", { class: "proven", x: 0, y: 3, width: committed, height: 12, rx: 3 }), s("rect", { class: "tick", x: committed - 2, y: 1, width: 3, height: 16 }));
  if (!shard.has_ended) parts.push(s("rect", { class: "tip", x: WIDTH - 2, y: 1, width: 2, height: 16 }));
  if (shard.time_to_trim_s !== null && shard.retention_s) {
    const left = WIDTH * Math.min(1, shard.time_to_trim_s / shard.retention_s);
    parts.push(s("rect", { class: "fuse", x: 0, y: 20.5, width: left, height: 2 }), s("rect", { class: "spark", x: Math.max(0, left - 5), y: 19.5, width: 5, height: 4, rx: 1 }));
  }
  return s("svg", { class: `lane ${hot ? "hot" : ""} ${shard.has_ended ? "ended" : ""}`, viewBox: `0 0 ${WIDTH} 26`, preserveAspectRatio: "none", "aria-hidden": "true" }, parts);
}

// A column a generation; what was split or merged points to what came of it.
function drawLineage(shards) {
  const known = new Map(shards.map((each) => [`${each.stream}/${each.shard}`, each]));
  const edges = shards.flatMap((each) => each.children.map((child) => [`${each.stream}/${each.shard}`, `${each.stream}/${child}`]));
  const details = at("lineage");
  const text = edges.join();
  if (details.dataset.edges === text) return;
  if (details.dataset.edges === undefined) details.open = edges.length <= 12;
  details.dataset.edges = text;
  shown(details, edges.length > 0);
  if (!edges.length || edges.length > 200) return;
  const depth = new Map();
  const depthOf = (key) => {
    if (!depth.has(key)) { depth.set(key, 0); depth.set(key, Math.max(0, ...edges.filter(([, child]) => child === key).map(([parent]) => depthOf(parent) + 1))); }
    return depth.get(key);
  };
  const names = [...new Set(edges.flat())].sort();
  const columns = new Map();
  const place = new Map(names.map((name) => {
    const column = depthOf(name), row = columns.get(column) ?? 0;
    columns.set(column, row + 1);
    return [name, [column * 150 + 4, row * 30 + 4]];
  }));
  const height = Math.max(...columns.values()) * 30 + 8, width = columns.size * 150;
  const paths = edges.map(([from, to]) => {
    const [x1, y1] = place.get(from), [x2, y2] = place.get(to);
    return s("path", { d: `M${x1 + 96},${y1 + 11} C${x1 + 123},${y1 + 11} ${x2 - 27},${y2 + 11} ${x2},${y2 + 11}` });
  });
  const boxes = names.map((name) => {
    const [left, top] = place.get(name), shard = known.get(name);
    return s("g", { class: shard && !shard.has_ended ? "" : "ended" }, s("title", {}, name), s("rect", { x: left, y: top, width: 96, height: 22, rx: 5 }), s("text", { x: left + 9, y: top + 15 }, short(name.split("/")[1]).slice(0, 12)));
  });
  const said = edges.map(([from, to]) => `${short(from.split("/")[1])} to ${short(to.split("/")[1])}`).join(", ");
  details.querySelector("summary").textContent = `Splits and merges (${new Set(edges.map(([from]) => from)).size} shards ended)`;
  details.querySelector("div").replaceChildren(s("svg", { class: "lineage", width, height, role: "img", "aria-label": `Shards and what came of them: ${said}` }, paths, boxes));
}
