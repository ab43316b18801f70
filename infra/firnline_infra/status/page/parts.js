// Elements, numbers and times. Text is only ever set as text: nothing that a producer or a server wrote becomes markup.

const SVG = "http://www.w3.org/2000/svg";

export function h(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function s(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "onclick") element.addEventListener("click", value);
    else if (value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

export const at = (id) => document.getElementById(id);
export const shown = (element, is) => element.classList.toggle("hidden", !is);

export function count(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(1)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(number >= 1e7 ? 0 : 1)} M`;
  if (number >= 1e4) return `${(number / 1e3).toFixed(number >= 1e5 ? 0 : 1)} k`;
  return Math.round(number).toLocaleString("en");
}

// In the largest unit of which there are two, as the command line has it.
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  for (const [unit, length] of [["days", 86400], ["h", 3600], ["min", 60]]) {
    if (seconds >= 2 * length) return `${Math.round(seconds / length).toLocaleString("en")} ${unit}`;
  }
  return seconds >= 10 || Number.isInteger(seconds) ? `${Math.round(seconds)} s` : `${seconds.toFixed(1)} s`;
}

export const clock = (iso) => (iso ? new Date(iso).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }) : "");

// Times are the reader's own, and say their zone: logs and the command line have UTC.
export const zoned = (iso) => new Date(iso).toLocaleTimeString("en-GB", { timeZoneName: "short" });

export function when(iso) {
  if (!iso) return "";
  const then = new Date(iso);
  const day = then.toDateString() === new Date().toDateString() ? "" : then.toLocaleDateString("en-GB", { day: "numeric", month: "short" }) + ", ";
  return h("time", { datetime: iso, title: then.toISOString() }, `${day}${then.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZoneName: "short" })}`);
}

// A command, or a sentence.
export const step = (text) => h(/^([A-Z]{4,}|firnline|aws|kubectl|pulumi|terraform|tofu) .*\S$/s.test(text) ? "code" : "span", {}, text);

export function copyButton(text) {
  const button = h("button", { type: "button", class: "small", "aria-label": "Copy the next step" }, "Copy");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return button;
}

// Draws a section anew only where what it shows has changed, so that focus, an open detail and a selection stay.
const drawn = new Map();
export function section(name, data, draw) {
  const text = JSON.stringify(data);
  if (drawn.get(name) === text) return;
  drawn.set(name, text);
  draw(data);
}

// What the server sends, from the page's own address on.
export function connect(draw) {
  const events = new EventSource("events");
  events.addEventListener("message", (event) => draw(JSON.parse(event.data)));
  events.addEventListener("error", () => live(false, "reconnecting"));
}

export function live(is, text) {
  at("live").className = `live ${is ? "on" : "off"}`;
  at("live-text").textContent = text;
}

let said = "";
export function verdict(kind, title, ...text) {
  at("verdict").className = `verdict ${kind}`;
  at("verdict-title").textContent = title;
  at("verdict-text").replaceChildren(...text.flat());
  if (said !== title) at("announce").textContent = said = title;
}

export const errorLink = (id, url, kind = "") => h("a", { class: kind, href: url, target: "_blank", rel: "noreferrer" }, id);

// A green result says nothing of today once it is a week old.
const WEEK_MS = 7 * 86400000;
export function ageOf(check, now) {
  if (!check) return ["none", ""];
  if (check.exit_status) return ["look", "bad"];
  return now - new Date(check.at) > WEEK_MS ? ["old", ""] : ["good", "good"];
}

// As the system has it, until a person chooses.
export function theme() {
  const set = (name) => document.documentElement.setAttribute("data-theme", name);
  const chosen = localStorage.getItem("theme");
  if (chosen) set(chosen);
  at("theme").addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    const next = now === "dark" ? "light" : "dark";
    localStorage.setItem("theme", next);
    set(next);
  });
}
