// @ts-check
/** To keep what was made: a link that holds the problem, the problem file, exports of the task, the report. */
import {$, download, h, say, warn} from "./dom.js";
import {fragmentOf, sent} from "./problem.js";
import {post} from "./server.js";

/** @typedef {import("./learning.js").Learning} Learning */

/** @param {Learning} learning */
export function showKeep(learning) {
  const formats = Object.entries(learning.formats ?? {});
  const choice = h("select", {id: "format", "aria-label": "Format"}, ...formats.map(([name, told]) => h("option", {value: name}, `${name}: ${told}`)),
    h("option", {value: "result"}, "result: everything that was found, as JSON"));
  const get = async () => {
    try {
      const found = await learning.desk.ask("export", {format: choice.value});
      const content = found.base64 ? Uint8Array.from(atob(found.base64), (one) => one.charCodeAt(0)) : found.text;
      download(found.name, content, found.base64 ? "image/png" : "text/plain");
      say(`${found.name} is in your downloads.`);
    } catch (error) {
      warn(/** @type {Error} */ (error).message);
    }
  };
  $("keep").lastElementChild.replaceChildren(
    h("div", {class: "bar"}, choice, h("button", {type: "button", class: "main", id: "export", onclick: get}, "Export"),
      h("a", {class: "button", id: "report", target: "_blank", rel: "noopener", href: `api/desks/${learning.desk.name}/report.html`}, "Report page")));
}

/** @param {import("./problem.js").Store} store */
export async function copyLink(store) {
  const address = new URL(await fragmentOf(store.problem), location.href).href;
  history.replaceState(null, "", address);
  try {
    await navigator.clipboard.writeText(address);
    say("The link is copied. It holds the whole problem; demospec studio LINK opens it elsewhere.");
  } catch {
    say("The address of this page is the link now. It holds the whole problem.");
  }
}

/** @param {import("./problem.js").Store} store */
export async function saveFile(store) {
  try {
    const {text} = await post("save", {document: sent(store.problem)});
    download(`${store.problem.name.replace(/[^\w-]+/g, "-") || "problem"}.toml`, text);
    say("The problem file is in your downloads.");
  } catch (error) {
    warn(/** @type {Error} */ (error).message);
  }
}

/** @param {import("./problem.js").Store} store @param {File} file */
export async function openFile(store, file) {
  try {
    if (file.size > 900000) throw new Error(`${file.name} is too large for the studio`);
    store.replace(await post("open", {text: await file.text(), name: file.name}));
    warn("");
    say(`${file.name} is open.`);
  } catch (error) {
    warn(/** @type {Error} */ (error).message);
  }
}
