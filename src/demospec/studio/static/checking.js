// @ts-check
/** To check an answer: let the learned agent act in the world that is shown, and compare it with a task that is typed. */
import {$, draw, fill, h, percent, warn} from "./dom.js";
import {sent} from "./problem.js";
import {chip} from "./lists.js";

/** @typedef {import("./learning.js").Learning} Learning */

/** @param {Learning} learning */
export function showAct(learning) {
  const outer = $("act");
  let seed = 0;
  const told = h("p", {role: "status", id: "acted"});
  const how = h("select", {id: "acts-on"}, h("option", {value: ""}, "the answer and what costs nothing"), h("option", {value: "belief"}, "all that is believed"));
  const go = async () => {
    const table = {...sent(learning.store.problem).worlds[learning.store.at], demonstrations: []};
    try {
      const found = await learning.desk.ask("act", {table, belief: how.value === "belief", seed: seed++});
      learning.board.overlay(found.layer);
      told.replaceChildren(`It took ${found.cells.length - 1} steps and read `,
        ...(found.word.length ? found.word.map((/** @type {string} */ one) => chip(one, learning.colours ?? {})) : ["no letter"]),
        `: ${found.accepted ? "all right" : "not all right"} by the answer. An agent like the demonstrator succeeds in ${percent(found.success)} of episodes here.`);
    } catch (error) {
      warn(/** @type {Error} */ (error).message);
    }
  };
  outer.ontoggle = () => outer.open || learning.board.overlay(null);
  outer.lastElementChild.replaceChildren(
    h("p", {class: "hint"}, "In the world that is shown, also one that you draw now."),
    h("div", {class: "bar"}, h("label", {}, "Act on ", how), h("button", {type: "button", class: "main", id: "act-go", onclick: go}, "Let it act")),
    told);
}

/** @param {Learning} learning */
export function showCompare(learning) {
  const text = h("input", {id: "typed", "aria-label": "Your task", placeholder: example(learning), size: 28});
  const told = h("div", {role: "status", id: "compared"});
  const form = h("form", {class: "bar", onsubmit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    try {
      const found = await learning.desk.ask("compare", {text: text.value});
      const picture = h("div", {class: "picture small"});
      draw(picture, found.automaton);
      fill(told,
        h("p", {}, "Read as: ", h("strong", {}, found.read_as)),
        h("p", {id: "compared-sentence"}, found.equal ? "Yours and the answer say the same." : found.sentence),
        found.equal ? "" : h("p", {}, found.here),
        h("p", {}, `${found.explains} `, found.probability === null ? "The search did not try it." : `It has ${percent(found.probability)} of the belief by itself.`),
        h("details", {}, h("summary", {}, "its automaton"), picture));
      warn("");
    } catch (error) {
      told.replaceChildren(h("p", {class: "wrong"}, /** @type {Error} */ (error).message));
    }
  }}, text, h("button", {type: "submit", class: "main"}, "Compare"));
  $("compare").lastElementChild.replaceChildren(
    h("p", {class: "hint"}, "Type a task as clauses (reach y; never r) or as a formula (F y & G !r)."), form, told);
}

/** @param {Learning} learning @returns {string} */
function example(learning) {
  const letters = learning.answer?.alphabet ?? ["y"];
  return `reach ${letters.at(-1)}`;
}
