// @ts-check
/** The answer: one sentence, one probability, what is settled and what is open, warnings, the runner-up. */
import {$, draw, fill, h, percent} from "./dom.js";
import {linkStates} from "./figures.js";
import {showAct, showCompare} from "./checking.js";
import {showConverse} from "./converse.js";
import {showKeep} from "./keeping.js";
import {showMaps, showWalks} from "./understand.js";

/** @typedef {import("./learning.js").Learning} Learning */

/** @param {Learning} learning */
export function showAnswer(learning) {
  const {answer} = learning;
  const meter = h("meter", {min: 0, max: 1, value: answer.probability ?? 0, "aria-label": "Probability"});
  fill($("said"),
    h("p", {class: "leading"}, answer.lead),
    h("p", {class: "sentence", id: "sentence"}, answer.sentence),
    answer.share ? h("p", {class: "share"}, meter, h("strong", {id: "probability"}, ` ${answer.share}`)) : null,
    h("p", {id: "sure"}, answer.sure),
    answer.enough ? h("p", {class: "hint"}, answer.enough) : null,
    h("p", {class: "hint"}, answer.exact),
    answer.rest.length ? h("ul", {}, ...answer.rest.map((/** @type {string} */ line) => h("li", {}, line))) : null);
  draw($("automaton"), answer.automaton);
  linkStates($("studio"));
}

/** @param {Learning} learning */
export function showDetails(learning) {
  const {details} = learning;
  const parts = [];
  if (details.warnings.length) {
    parts.push(h("div", {class: "warnings", role: "group", "aria-label": "Warnings"},
      ...details.warnings.map((/** @type {string} */ told) => h("p", {}, told))));
  }
  const columns = h("div", {class: "claims"});
  for (const list of details.claims) {
    if (!list.name) {
      parts.push(h("p", {class: "hint"}, list.nothing));
      continue;
    }
    columns.append(h("div", {}, h("h3", {}, list.name), list.claims.length ? h("ul", {}, ...list.claims.map((/** @type {any} */ one) =>
      h("li", {}, one.sentence, " ", h("span", {class: "hint"}, one.share), one.settle ? h("details", {}, h("summary", {}, "what would tell"), h("p", {class: "hint"}, one.settle)) : null)))
      : h("p", {class: "hint"}, list.nothing)));
  }
  if (columns.childElementCount) parts.push(columns);
  const [second] = details.answers;
  if (second) {
    const picture = h("div", {class: "picture small"});
    draw(picture, second.automaton);
    parts.push(h("div", {class: "second"}, h("h3", {}, "The runner-up"),
      h("p", {}, second.sentence, " ", h("span", {class: "hint"}, percent(second.probability))),
      h("p", {id: "difference"}, `The difference: ${second.difference}.`),
      h("details", {}, h("summary", {}, "its automaton"), picture)));
  }
  if (details.demonstrator) parts.push(h("p", {class: "hint"}, details.demonstrator));
  $("details").replaceChildren(...parts);
  $("more").hidden = false;
  draw($("automaton"), learning.answer.automaton); // anew, so that nobody listens twice
  linkStates($("studio"), details.runs);
  showConverse(learning);
  showWalks(learning);
  showMaps(learning);
  showAct(learning);
  showCompare(learning);
  showKeep(learning);
}

/** The runs of the world that is shown, as figures.js reads them. @param {Learning} learning @returns {any[]} */
export function here(learning) {
  return (learning.details?.runs ?? [])
    .filter((/** @type {any} */ run) => run.scene === learning.store.at)
    .map((/** @type {any} */ {world, ...run}) => run); // one map is shown at a time
}
