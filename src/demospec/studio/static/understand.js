// @ts-check
/** To understand an answer: a run step by step with its surprise, and maps of value and visits. */
import {$, draw, h, warn} from "./dom.js";
import {clear, walker} from "./figures.js";
import {here} from "./answer.js";

/** @typedef {import("./learning.js").Learning} Learning */

/** @param {Learning} learning */
export function showWalks(learning) {
  const outer = $("walks");
  const place = outer.lastElementChild;
  const runs = here(learning);
  const show = () => {
    clear($("studio"), "here");
    for (const path of $("studio").querySelectorAll(".ds-dim")) path.classList.remove("ds-dim");
    if (!outer.open) return place.replaceChildren();
    if (!runs.length) return place.replaceChildren(h("p", {class: "hint"}, "This world has no run. Choose another above the map."));
    const controls = h("div", {});
    place.replaceChildren(controls);
    walker($("studio"), runs, controls);
  };
  outer.ontoggle = show;
  show();
}

/** @param {Learning} learning */
export function showMaps(learning) {
  const outer = $("maps");
  const place = outer.lastElementChild;
  outer.ontoggle = async () => {
    if (!outer.open || place.childElementCount) return;
    place.replaceChildren(h("p", {class: "hint"}, "Planning…"));
    try {
      const {maps} = await learning.desk.ask("maps", {world: learning.store.at});
      const picture = h("div", {class: "picture paper"});
      const choice = h("select", {"aria-label": "Which map", onchange: () => draw(picture, maps[Number(choice.value)].svg)},
        ...maps.map((/** @type {any} */ one, /** @type {number} */ k) => h("option", {value: k}, one.name)));
      place.replaceChildren(choice, picture);
      draw(picture, maps[0].svg);
    } catch (error) {
      place.replaceChildren();
      outer.open = false;
      warn(/** @type {Error} */ (error).message);
    }
  };
}
