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
  const lead = answer.determined === false ? answer.headline : `What ${answer.headline.replace(/^what /, "")}`;
  const meter = h("meter", {min: 0, max: 1, value: answer.probability ?? 0, "aria-label": "Probability"});
  const more = answer.exact === false ? h("ul", {}, ...answer.rest.map((/** @type {string} */ line) => h("li", {}, line))) : null;
  fill($("said"),
    h("p", {class: "leading"}, lead),
    h("p", {class: "sentence", id: "sentence"}, answer.sentence),
    answer.probability === null
      ? h("p", {}, "How sure this is was not worked out: the time was up.")
      : h("p", {class: "share"}, meter, h("strong", {id: "probability"}, ` ${percent(answer.probability)}`), ` probable${answer.enough ? `, ${answer.enough}` : ""}`),
    answer.exact === "here" ? h("p", {class: "hint"}, "Exact in these worlds: no run here could tell it from what was found.") : null,
    answer.exact === false ? h("p", {class: "hint"}, "The task asks for this, and for more:") : null,
    more);
  draw($("automaton"), answer.automaton);
  linkStates($("studio"));
}

/** @param {Learning} learning */
export function showDetails(learning) {
  const {details} = learning;
  /** @param {string} status */
  const claims = (status) => details.claims.filter((/** @type {any} */ one) => one.status === status);
  const parts = [];
  if (details.warnings.length) {
    parts.push(h("div", {class: "warnings", role: "group", "aria-label": "Warnings"}, ...details.warnings.map((/** @type {any} */ one) =>
      h("p", {}, h("strong", {}, "Take care. "), one.message, " ", h("em", {}, one.advice)))));
  }
  const columns = h("div", {class: "claims"});
  for (const [status, title] of [["settled", "Settled"], ["likely", "Likely"], ["open", "Open"]]) {
    const found = claims(status);
    if (!found.length) continue;
    columns.append(h("div", {}, h("h3", {}, title), h("ul", {}, ...found.map((/** @type {any} */ one) =>
      h("li", {}, one.sentence, " ", h("span", {class: "hint"}, one.percent), one.advice ? h("details", {}, h("summary", {}, "what would tell"), h("p", {class: "hint"}, `${one.advice}.`)) : null)))));
  }
  parts.push(columns.childElementCount ? columns : h("p", {class: "hint"}, "Nothing that a sentence could say is settled, likely or open."));
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
