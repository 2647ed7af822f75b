// @ts-check
/** The conversation: the question that tells most, drawn on the map; or where one more run would tell most. */
import {$, h, say, warn} from "./dom.js";
import {same, startsOf} from "./problem.js";
import {addWorld} from "./lists.js";

/** @typedef {import("./learning.js").Learning} Learning */

/** @param {Learning} learning */
export function showConverse(learning) {
  const outer = $("converse");
  outer.ontoggle = () => {
    if (outer.open) question(learning);
    else learning.board.overlay(null);
  };
}

/** @param {Learning} learning @param {string[]} [skip] */
async function question(learning, skip) {
  const place = $("converse").lastElementChild;
  place.replaceChildren(h("p", {class: "hint"}, "Thinking of a question…"));
  let told;
  try {
    told = await learning.desk.ask("question", {skip});
  } catch (error) {
    place.replaceChildren();
    return warn(/** @type {Error} */ (error).message);
  }
  const more = h("button", {type: "button", onclick: () => offer(learning)}, "Rather show one more run");
  if (!told.question) {
    learning.board.overlay(null);
    place.replaceChildren(h("p", {}, `There is nothing to ask: ${told.reason}.`), more);
    return;
  }
  const asked = told.question;
  if (asked.world !== learning.store.at) learning.store.show(asked.world);
  await learning.board.ready;
  learning.board.overlay(asked.layer);
  /** @param {boolean} accept */
  const answer = (accept) => {
    learning.board.overlay(null);
    learning.store.change((problem) => void (problem.examples = [...(problem.examples ?? []), {word: asked.word, accept}]));
    say(accept ? "That is kept as all right." : "That is kept as not all right.");
    learning.start();
  };
  place.replaceChildren(
    h("p", {class: "question", id: "question"}, asked.said, " It is the dashed path on the map."),
    h("div", {class: "bar"},
      h("button", {type: "button", class: "main", id: "yes", onclick: () => answer(true)}, "Yes"),
      h("button", {type: "button", class: "main", id: "no", onclick: () => answer(false)}, "No"),
      h("button", {type: "button", id: "unsure", onclick: () => question(learning, asked.word)}, "I don't know"),
      more),
    h("p", {class: "hint"}, asked.tells));
}

/** @param {Learning} learning */
async function offer(learning) {
  const place = $("converse").lastElementChild;
  place.replaceChildren(h("p", {class: "hint"}, "Looking for a cell from which a run would tell most…"));
  try {
    const {offer: found, reason} = await learning.desk.ask("offer");
    if (!found) return place.replaceChildren(h("p", {}, `There is nothing to show: ${reason}.`));
    place.replaceChildren(
      h("p", {class: "question"}, found.said, " ", h("span", {class: "hint"}, found.tells)),
      h("button", {type: "button", class: "main", onclick: () => showFrom(learning, found)}, "Show it"));
  } catch (error) {
    place.replaceChildren();
    warn(/** @type {Error} */ (error).message);
  }
}

/** Walk from a cell: in the world that begins there, or in a copy that does. @param {Learning} learning @param {any} found */
function showFrom(learning, found) {
  const {store} = learning;
  const {worlds} = store.problem;
  const known = worlds.findIndex((world) => world.name === found.known);
  const begins = startsOf(worlds[found.world]).some((one) => same(one, found.cell));
  if (begins) store.show(found.world);
  else if (known >= 0) store.show(known);
  else {
    store.at = found.world;
    if (!addWorld(store, {worlds: 99}, worlds[found.world])) return;
    store.changeWorld((world) => {
      delete world.starts;
      world.start = found.cell;
    });
  }
  /** @type {HTMLInputElement | null} */ (document.querySelector('input[name=mode][value="walk"]'))?.click();
  $("board").focus();
}
