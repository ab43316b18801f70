// Several environments, a row each: each leads to its own page.

import { ageOf, at, connect, duration, errorLink, h, live, section, theme, verdict, when, zoned } from "./parts.js";

theme();
connect(draw);

const verdictOf = (each) => each.trouble
  ? { kind: "bad", title: "The status can't be read", text: `${each.trouble.what} Next: ${each.trouble.next_step}`, ids: [each.trouble] }
  : each.verdict ?? { kind: "waiting", title: "Reading …", text: "", ids: [] };

function draw(found) {
  live(true, `live, ${zoned(Date.now())}`);
  section("environments", found.environments, () => {
    const kinds = found.environments.map((each) => verdictOf(each).kind), bad = kinds.filter((kind) => kind === "bad").length, waiting = kinds.filter((kind) => kind === "waiting").length;
    verdict(bad ? "bad" : waiting ? "waiting" : "good", bad ? `${bad} of ${kinds.length} environments ${bad === 1 ? "needs" : "need"} a look` : waiting ? "Reading, or starting" : "All environments are read",
      bad || waiting ? "Each row leads to its environment's page." : `${kinds.length} environments, every shard of each.`);
    at("environments").tBodies[0].replaceChildren(...found.environments.map(row));
  });
}

function row(each) {
  const found = verdictOf(each), checks = new Map((each.checks ?? []).map((check) => [check.name, check]));
  const ids = new Map([...found.ids, ...each.problems].map((problem) => [problem.id, problem]));
  const count = (id) => each.problems.filter((problem) => problem.id === id).length;
  const problems = [...ids.values()].map((problem) => h("a", { class: `tag ${problem.has_stopped === false ? "" : "bad"}`, href: problem.url, target: "_blank", rel: "noreferrer", title: problem.what }, problem.id, count(problem.id) > 1 ? ` ×${count(problem.id)}` : ""));
  return h("tr", {},
    h("th", { scope: "row" }, h("a", { href: each.page }, each.name), each.application && each.application !== each.name ? h("small", {}, each.application) : null),
    h("td", { class: "said" }, h("span", { class: `state ${{ bad: "unread", waiting: "paused", good: "good" }[found.kind]}` }, h("i", { "aria-hidden": "true" }), found.title), found.kind === "good" || !found.text || found.ids.length && !each.trouble ? null : h("small", {}, found.text)),
    h("td", { class: "n", "data-name": "commit lag" }, duration(each.worst_lag_s)),
    h("td", { "data-name": "problems" }, h("span", { class: "tags" }, problems.length ? problems : "none")),
    check("audit", checks, each.at), check("drift", checks, each.at),
    h("td", { class: "quiet", "data-name": "read" }, each.at ? when(each.at) : "–"));
}

function check(name, checks, now) {
  const found = checks.get(name);
  if (!found) return h("td", { class: "quiet", "data-name": `last ${name}` }, "–");
  const [word, kind] = ageOf(found, new Date(now ?? Date.now()));
  return h("td", { title: found.summary, "data-name": `last ${name}` }, h("span", { class: `tag ${kind}` }, word), " ", h("span", { class: "quiet" }, when(found.at)));
}
