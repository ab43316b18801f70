// The page: what the server sends is drawn, section by section; nothing is ever sent back.

import { drawCharts } from "./charts.js";
import { ageOf, at, connect, copyButton, count, duration, errorLink, h, live, section, shown, step, theme, verdict, when, zoned } from "./parts.js";
import { drawShards, listen, short } from "./shards.js";

const DAY = 1440, HISTORY_MS = 300000;

let status = null, span = 60, history = null, readAt = 0;

theme();
listen();
for (const button of document.querySelectorAll("[data-minutes]")) {
  button.addEventListener("click", () => {
    span = Number(button.dataset.minutes);
    for (const each of document.querySelectorAll("[data-minutes]")) each.setAttribute("aria-pressed", String(each === button));
    shown(at("history"), span === DAY);
    if (status) charts();
  });
}
connect(draw);

function draw(found) {
  at("application").textContent = found.application;
  document.title = `${found.application} – Firnline`;
  if (found.trouble) {
    live(false, "the status can't be read");
    verdict("bad", `${found.trouble.id}: the status can't be read`, `${found.trouble.what} Next: ${found.trouble.next_step} `, errorLink("More of it.", found.trouble.url));
    return;
  }
  status = found;
  live(true, `live, ${zoned(found.at)}`);
  section("verdict", { ...found, at: null, minutes: null }, () => conclude(found));
  section("problems", [found.problems, found.report?.is_of_this_engine], () => problems(found));
  drawShards(found);
  section("charts", [found.minutes, span, found.at.slice(0, 16)], charts);
  section("engine", [found.engine, found.runs, found.last_run, found.standby, found.report, found.notes], () => engine(found));
  section("deployments", found.deployments, deployments);
  section("checks", [found.checks, found.at.slice(0, 13)], () => checks(found.checks, new Date(found.at)));
  section("views", [found.views.map((each) => ({ ...each, age_s: null })), found.at.slice(0, 16)], () => views(found.views));
  section("letters", found.dead_letters, letters);
  section("incidents", found.incidents, incidents);
}

const open = (found) => found.shards.filter((each) => !each.has_ended && !each.is_paused);

function conclude(found) {
  const { kind, title, text, ids } = found.verdict;
  verdict(kind, title, text, ids.flatMap(({ id, url }) => [" ", errorLink(id, url)]));
  figures(found, open(found).filter((each) => !each.is_read).length);
}

const plural = (number, what) => `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;

function figures(found, unread) {
  const hour = found.minutes.filter((each) => each.minute > new Date(found.at) / 60000 - 60);
  const sum = (name) => hour.reduce((all, each) => all + each[name], 0);
  const shards = open(found), trims = shards.filter((each) => each.time_to_trim_s !== null);
  const first = trims.sort((one, other) => one.time_to_trim_s - other.time_to_trim_s)[0];
  const slowest = [...shards].sort((one, other) => (other.commit_lag_s ?? 0) - (one.commit_lag_s ?? 0))[0];
  const isHot = first && first.retention_s && first.time_to_trim_s < 0.1 * first.retention_s;
  const tiles = [
    ["Shards read", `${count(shards.length - unread)} of ${count(shards.length)}`, unread ? `${unread} not read` : "all of them", unread ? "bad" : ""],
    ["Commit lag", duration(found.worst_lag_s), slowest ? `slowest: ${slowest.stream} ${short(slowest.shard)}` : "", (found.worst_lag_s ?? 0) > 300 ? "warn" : ""],
    ["Data loss in", duration(first?.time_to_trim_s), first ? `${first.stream} ${short(first.shard)}` : "", isHot ? "bad" : ""],
    ["Rows, last hour", count(sum("rows")), `${(sum("bytes") / 1e6).toFixed(1)} MB`, ""],
    ["Dead letters, last hour", count(sum("dead_letters")), sum("dead_letters") ? "reasons below" : "none", sum("dead_letters") ? "warn" : ""],
    ["Rejected, last hour", count(sum("rejected_rows")), sum("rejected_rows") ? "firnline audit tells which" : "none", sum("rejected_rows") ? "bad" : ""],
  ];
  at("figures").replaceChildren(...tiles.map(([name, value, note, kind]) => h("div", {}, h("dt", {}, name), h("dd", { class: kind }, value, h("small", {}, note)))));
}

function problems(found) {
  shown(at("problems"), found.problems.length > 0);
  const isOwn = found.report?.is_of_this_engine, told = found.problems.reduce((all, each) => all + Math.max(1, each.shards.length), 0), more = (found.report?.all_problems ?? 0) - told;
  at("problems-title").textContent = isOwn ? "Problems" : "Problems of the engine before";
  at("problems").querySelector("div").replaceChildren(...found.problems.map((each, index) => problem(each, index, isOwn)), ...(more > 0 ? [h("p", { class: "quiet" }, `${more} more: firnline status -o json has them.`)] : []));
}

function problem(each, index, isOwn) {
  const many = each.shards.length > 1 ? h("details", {}, h("summary", {}, plural(each.shards.length, "shard")), each.shards.join(", ")) : null;
  const object = [each.stream, each.shard].filter(Boolean).join(" / ") || "the engine";
  const again = !isOwn ? "" : each.next_try ? `, tried again at ${zoned(each.next_try)}` : ", tried again with each epoch";
  return h("article", { class: `problem ${each.has_stopped ? "stopped" : ""}`, id: `problem-${index}`, tabindex: -1 },
    h("h3", {}, errorLink(each.id, each.url, `tag ${each.has_stopped ? "bad" : ""}`), object,
      h("span", { class: "times" }, "since ", when(each.since), `, met ${each.tries === 1 ? "once" : `${each.tries} times`}${again}`)),
    many, h("p", { class: "what" }, each.what),
    h("div", { class: "next" }, h("b", {}, "Next"), step(each.next_step), copyButton(each.next_step)));
}

addEventListener("resize", () => { if (status) charts(); });

function charts() {
  if (span === DAY) readHistory();
  const [minutes, step] = span === DAY ? [history?.points ?? [], history?.step_minutes ?? 5] : [status.minutes, 1];
  drawCharts(document.querySelector(".charts"), minutes, span, status.at, step);
}

// A day is kept elsewhere, and asked for only while it is looked at.
async function readHistory() {
  if (Date.now() - readAt < HISTORY_MS) return;
  readAt = Date.now();
  if (!history) at("history").textContent = "Reading …";
  try {
    history = await (await fetch("history.json")).json();
    at("history").textContent = history.where;
  } catch {
    at("history").textContent = "The server of this page does not answer.";
  }
  charts();
}

function engine(found) {
  const run = found.runs.at(-1) ?? found.last_run, own = found.engine, report = found.report;
  const facts = [
    ["State", own ? (own.is_beating ? "alive, heartbeat each second" : "no heartbeat") : "not running"],
    ["Process", own?.holder],
    ["Run", own?.whose === "by hand" ? "started by hand" : run ? h("span", {}, h("code", {}, run.id), ` ${run.state.toLowerCase()}, attempt ${run.attempt}`) : own?.whose],
    ["Since", report?.is_of_this_engine ? when(report.began) : run?.since ? when(run.since) : null],
    ["Why", run?.reason],
    ["Version", own?.version || report?.version],
    ["Configuration", own?.configuration ? h("code", {}, own.configuration.slice(0, 12)) : null],
    ["Epochs", report?.is_of_this_engine ? report.epochs.toLocaleString("en") : null],
    ["Ended", !own && report?.ended ? when(report.ended) : null],
    ["Standby", found.standby ? `${found.standby.state}, run ${found.standby.whose}${found.standby.is_promoted ? ", promoted" : ""}` : "none"],
  ].filter(([, value]) => value);
  at("engine").querySelector("div").replaceChildren(
    h("dl", { class: "facts" }, facts.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    ...found.notes.map((note) => h("p", { class: "quiet" }, note)));
}

function deployments(found) {
  const rows = found.map((each) => h("li", {},
    h("span", { class: `tag ${{ good: "good", failed: "bad" }[each.outcome] ?? ""}` }, each.outcome),
    h("span", {}, `${each.number} `, h("code", {}, each.hash.slice(0, 10)), " ", h("span", { class: "quiet" }, when(each.began))),
    h("span", { class: "told" }, [each.went_back_to ? `a rollback to ${each.went_back_to}` : "", each.told || each.step, `by ${each.by}`].filter(Boolean).join("; "))));
  at("deployments").querySelector("div").replaceChildren(found.length ? h("ol", { class: "list" }, rows) : empty("None: an engine that was started by hand has no roll-outs."));
}

function finding(each) {
  return h("li", {}, each.what, each.next_step ? h("div", { class: "next" }, h("b", {}, "Next"), step(each.next_step), copyButton(each.next_step)) : null);
}

function checks(found, now) {
  const known = new Map(found.map((each) => [each.name, each]));
  const rows = [["audit", "every record is in its table, once"], ["drift", "the accounts are as the specification says"]].map(([name, what]) => {
    const each = known.get(name), [word, kind] = ageOf(each, now);
    if (!each) return h("li", {}, h("span", { class: "tag" }, word), h("span", {}, name), h("span", { class: "told" }, `No result here: firnline ${name} shows that ${what}. Results of CI: --checks FOLDER.`));
    const run = each.ran_in.startsWith("https://") ? h("a", { href: each.ran_in, rel: "noreferrer" }, "in CI") : each.ran_in;
    return h("li", {}, h("span", { class: `tag ${kind}` }, word),
      h("span", {}, name, " ", h("span", { class: "quiet" }, when(each.at), " ", run)),
      h("span", { class: "told" }, each.summary),
      each.findings.length ? h("details", { class: "told" }, h("summary", {}, "what it found"), h("ul", { class: "findings" }, each.findings.map(finding))) : null);
  });
  at("checks").querySelector("div").replaceChildren(h("ul", { class: "list" }, rows));
}

const KINDS_OF_STATE = { good: "good", stale: "warn", blocked: "bad", missing: "bad" };

// Redshift's times are UTC, and say no offset.
function utc(text) {
  const iso = `${text.replace(" ", "T")}Z`;
  return Number.isNaN(Date.parse(iso)) ? text : when(iso);
}

function views(found) {
  shown(at("views"), found.length > 0);
  const rank = (each) => Object.keys(KINDS_OF_STATE).indexOf(each.state);
  const rows = [...found].sort((one, other) => rank(other) - rank(one)).flatMap((each) => [
    h("tr", {}, h("td", {}, h("span", { class: `tag ${KINDS_OF_STATE[each.state]}` }, each.state)), h("th", { scope: "row" }, each.name), h("td", {}, each.stream),
      h("td", {}, each.refreshed_well ? utc(each.refreshed_well) : "never", h("span", { class: "quiet" }, each.age_s === null ? "" : ` ${duration(each.age_s)} ago`)),
      h("td", {}, duration(60 * each.stale_after_minutes)), h("td", {}, each.newest ? utc(each.newest) : "–"), h("td", { class: "n" }, count(each.scanned)), h("td", { class: "quiet" }, each.outcome)),
    each.why ? h("tr", {}, h("td", {}), h("td", { colspan: 7 }, each.why, h("div", { class: "next" }, h("b", {}, "Next"), step(each.next_step), copyButton(each.next_step)))) : null,
  ]).filter(Boolean);
  const names = ["State", "View", "Stream", "Refreshed", "Stale after", "Newest record", "Rows", "Last refresh"];
  at("views").querySelector("div").replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col", class: name === "Rows" ? "n" : "" }, name)))), h("tbody", {}, rows)));
}

function letters(found) {
  const place = at("letters").querySelector("div");
  if (!found) { place.replaceChildren(empty("They are being looked for.")); return; }
  if (!found.reasons.length) { place.replaceChildren(empty(`None in ${found.where}.`)); return; }
  const rows = found.reasons.map((each) => h("tr", {}, h("td", { class: "n" }, count(each.count)), h("td", {}, each.stream), h("td", {}, h("code", {}, each.reason)), h("td", {}, when(each.last_arrived)),
    h("td", {}, h("details", {}, h("summary", {}, "samples"), each.samples.map((sample) => h("pre", {}, `${sample.detail}\n${sample.text}`))))));
  place.replaceChildren(h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "n" }, "Count"), ...["Stream", "Reason", "Last arrived", ""].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows)),
    h("p", { class: "quiet" }, `${found.is_complete ? "" : "The first 500. "}In ${found.where}; firnline dead-letters lists, shows and replays them.`));
}

function incidents(found) {
  const rows = found.map((each) => h("li", {}, h("span", { class: "tag" }, each.kind), h("span", {}, `${each.stream} ${short(each.shard)} `, h("span", { class: "quiet" }, when(new Date(each.last_ms).toISOString()), each.count > 1 ? `, ${each.count} times` : "")), h("span", { class: "told" }, each.detail)));
  at("incidents").querySelector("div").replaceChildren(rows.length ? h("ul", { class: "list" }, rows) : empty("None: nothing that a proof can't cover has happened."));
}

const empty = (text) => h("p", { class: "empty" }, text);
