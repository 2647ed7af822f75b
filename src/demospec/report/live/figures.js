// @ts-check
/**
 * Brings the live pictures of demospec alive: on a report's page, in the studio, in a notebook.
 *
 * Python draws (report/pictures/, with live=True); this script only adds and removes classes and marks. A live
 * picture says what its elements are:
 *
 *   svg[data-figure="map" | "automaton" | "states" | "chart"]   a picture
 *   [data-cell="column,row"], or a state's name where the world is no grid; [data-letter] is its label
 *   [data-state="q"]                                            a state of the automaton
 *   [data-from="p"][data-to="q"][data-letters='["a"]']          an arrow of it, and its label
 *   [data-run="k"]                                              the path of demonstration k ("?": not taken)
 *   [data-run="k"][data-step="n"]                               step n of it: in a strip, or in a chart
 *   [data-world="name"]                                         what is inside belongs to one of several worlds
 *
 * How to use it, with `root` any element that holds pictures:
 *
 *   import {light, clear, showStep, walker, linkStates, enliven} from "./figures.js";
 *   light(root, {cells: ["3,4"], states: [1], arrows: [[0, 1]], steps: [[1, 2]]}, "lit");   clear(root, "lit");
 *   showStep(root, run, 4);                a mark on the map, the automaton's state, the arrow that led there
 *   walker(root, runs, place);             a slider, buttons and keys that do so; put into `place`
 *   linkStates(root, runs);                point at a state, or focus it: what leads there lights up
 *   enliven(document);                     all of it, for each [data-walk] with its runs as JSON inside
 *
 * `runs` are what report/page/walks.py writes. Colours are custom properties: see figures.css.
 */

/**
 * @typedef {object} Step
 * @property {string} cell              where it is, as in data-cell
 * @property {string | null} letter     what is read there
 * @property {number | null} state      the automaton's state after that
 * @property {string} [action]          that led here; the start has none
 * @property {number | null} [surprise] of that action, in nats
 * @property {string} told              the step in words
 *
 * @typedef {object} Run
 * @property {number} run               its number, from 1
 * @property {string} [world]           where there are several
 * @property {string} name              "demonstration 1"
 * @property {Step[]} steps             the start is step 0
 *
 * @typedef {object} Marks
 * @property {string[]} [cells]
 * @property {number[]} [states]
 * @property {[number, number][]} [arrows]   from, to
 * @property {[number, number][]} [steps]    run, step
 *
 * @typedef {"lit" | "here"} Look       what is pointed at; where a walk is
 */

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} value @returns {string} */
const quoted = (value) => CSS.escape(value);

/**
 * Mark elements of all pictures in `root`. Cells of a map get a mark of their own, so that no neighbour hides it.
 * @param {ParentNode} root
 * @param {Marks} marks
 * @param {Look} [look]
 */
export function light(root, marks, look = "lit") {
  for (const cell of marks.cells ?? []) {
    for (const found of root.querySelectorAll(`[data-cell="${quoted(cell)}"]:not([data-step])`)) {
      if (found instanceof SVGGElement && found.firstElementChild?.classList.contains("cell")) markCell(found, look);
      else found.classList.add(`ds-${look}`);
    }
  }
  for (const state of marks.states ?? []) {
    for (const found of root.querySelectorAll(`[data-state="${state}"]`)) found.classList.add(`ds-${look}`);
  }
  for (const [from, to] of marks.arrows ?? []) {
    const both = `[data-from="${from}"][data-to="${to}"]`;
    for (const found of root.querySelectorAll(both)) found.classList.add(`ds-${look}`);
  }
  for (const [run, step] of marks.steps ?? []) {
    const both = `[data-run="${run}"][data-step="${step}"]`;
    for (const found of root.querySelectorAll(both)) found.classList.add(`ds-${look}`);
  }
}

/**
 * Take marks away.
 * @param {ParentNode} root
 * @param {Look} [look]
 */
export function clear(root, look = "lit") {
  for (const mark of root.querySelectorAll(`.ds-mark.ds-${look}`)) mark.remove();
  for (const found of root.querySelectorAll(`.ds-${look}`)) found.classList.remove(`ds-${look}`);
}

/** @param {SVGGElement} cell @param {Look} look */
function markCell(cell, look) {
  const square = cell.firstElementChild;
  if (!square || !cell.parentNode) return;
  const mark = document.createElementNS(SVG, "rect");
  for (const name of ["x", "y", "width", "height"]) mark.setAttribute(name, square.getAttribute(name) ?? "0");
  mark.setAttribute("class", `ds-mark ds-${look}`);
  const cells = cell.parentNode.querySelectorAll(":scope > [data-cell]");
  if (look === "here") cell.parentNode.append(mark); // above the paths
  else cells[cells.length - 1].after(mark); // under them
}

/**
 * Show a run after its k-th step: where it is, the automaton's state, and the arrow that led there.
 * @param {ParentNode} root
 * @param {Run} run
 * @param {number} k
 */
export function showStep(root, run, k) {
  clear(root, "here");
  const step = run.steps[k];
  const before = k > 0 ? run.steps[k - 1] : null;
  const world = run.world === undefined ? null : `[data-world="${quoted(run.world)}"]`;
  for (const place of root.querySelectorAll("[data-world]")) {
    place.toggleAttribute("hidden", world !== null && !place.matches(world));
  }
  const places = world === null ? [root] : [...root.querySelectorAll(world)];
  for (const place of places) light(place, {cells: [step.cell]}, "here");
  /** @type {Marks} */
  const marks = {steps: [[run.run, k]]};
  if (step.state !== null) marks.states = [step.state];
  if (before && before.state !== null && step.state !== null && before.state !== step.state) {
    marks.arrows = [[before.state, step.state]];
  }
  light(root, marks, "here");
  for (const path of root.querySelectorAll('[data-figure="map"] [data-run], [data-figure="states"] [data-run]')) {
    path.classList.toggle("ds-dim", path.getAttribute("data-run") !== String(run.run));
  }
  for (const part of root.querySelectorAll("[data-only-run]")) {
    part.toggleAttribute("hidden", part.getAttribute("data-only-run") !== String(run.run));
  }
}

/**
 * Put controls into `place` that walk the runs step by step; return how to go to a step from elsewhere.
 * @param {ParentNode} root
 * @param {Run[]} runs
 * @param {Element} place
 * @returns {(run: number, step: number) => void}
 */
export function walker(root, runs, place) {
  let run = runs[0];
  let at = 0;
  /** @type {number | undefined} */
  let timer;
  const bar = make("div", {class: "ds-controls", role: "group", "aria-label": "Walk through a demonstration"});
  const choice = make("select", {"aria-label": "Demonstration"});
  for (const one of runs) choice.append(make("option", {value: String(one.run)}, one.name));
  const back = make("button", {type: "button", "aria-label": "One step back"}, "‹");
  const play = make("button", {type: "button"}, "Play");
  const on = make("button", {type: "button", "aria-label": "One step on"}, "›");
  const slider = make("input", {type: "range", min: "0", step: "1", "aria-label": "Step"});
  const told = make("p", {class: "ds-told", role: "status"});
  if (runs.length > 1) bar.append(choice);
  bar.append(back, play, on, slider);
  place.replaceChildren(bar, told);

  const show = () => {
    slider.max = String(run.steps.length - 1);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", run.steps[at].told);
    choice.value = String(run.run);
    back.disabled = at === 0;
    on.disabled = at === run.steps.length - 1;
    told.textContent = run.steps[at].told;
    showStep(root, run, at);
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = "Play";
  };
  /** @param {number} number @param {number} step */
  const go = (number, step) => {
    run = runs.find((one) => one.run === number) ?? run;
    at = Math.max(0, Math.min(step, run.steps.length - 1));
    show();
  };
  choice.addEventListener("change", () => (stop(), go(Number(choice.value), 0)));
  slider.addEventListener("input", () => (stop(), go(run.run, Number(slider.value))));
  back.addEventListener("click", () => (stop(), go(run.run, at - 1)));
  on.addEventListener("click", () => (stop(), go(run.run, at + 1)));
  play.addEventListener("click", () => {
    if (timer !== undefined) return stop();
    if (at === run.steps.length - 1) go(run.run, 0);
    play.textContent = "Pause";
    timer = window.setInterval(() => {
      go(run.run, at + 1);
      if (at === run.steps.length - 1) stop();
    }, 700);
  });
  for (const step of root.querySelectorAll("[data-run][data-step]")) {
    step.addEventListener("click", () => {
      stop();
      go(Number(step.getAttribute("data-run")), Number(step.getAttribute("data-step")));
    });
  }
  show();
  return go;
}

/**
 * Point at a state of an automaton, or focus it: the letters, cells and steps that lead there light up.
 * @param {ParentNode} root
 * @param {Run[]} [runs]
 */
export function linkStates(root, runs = []) {
  for (const picture of root.querySelectorAll('[data-figure="automaton"]')) {
    picture.setAttribute("role", "group"); // its states can be focused now
    for (const circle of picture.querySelectorAll("[data-state]")) {
      const state = Number(circle.getAttribute("data-state"));
      const marks = leadingTo(picture, root, runs, state);
      const letters = marks.letters.length ? `read ${marks.letters.join(" or ")} to get here` : "no letter leads here";
      circle.setAttribute("tabindex", "0");
      circle.setAttribute("role", "img");
      circle.setAttribute("aria-label", `state ${state}: ${letters}`);
      const shine = () => light(root, marks, "lit");
      const fade = () => clear(root, "lit");
      circle.addEventListener("pointerenter", shine);
      circle.addEventListener("pointerleave", fade);
      circle.addEventListener("focus", shine);
      circle.addEventListener("blur", fade);
    }
  }
}

/**
 * Find what leads into a state from another one.
 * @param {Element} picture
 * @param {ParentNode} root
 * @param {Run[]} runs
 * @param {number} state
 * @returns {Marks & {letters: string[]}}
 */
function leadingTo(picture, root, runs, state) {
  /** @type {Set<string>} */
  const letters = new Set();
  /** @type {[number, number][]} */
  const arrows = [];
  for (const arrow of picture.querySelectorAll(`.arrow[data-to="${state}"]`)) {
    for (const letter of JSON.parse(arrow.getAttribute("data-letters") ?? "[]")) letters.add(letter);
    arrows.push([Number(arrow.getAttribute("data-from")), state]);
  }
  const cells = [...root.querySelectorAll("[data-cell][data-letter]")]
    .filter((cell) => letters.has(cell.getAttribute("data-letter") ?? ""))
    .map((cell) => cell.getAttribute("data-cell") ?? "");
  /** @type {[number, number][]} */
  const steps = [];
  for (const run of runs) {
    run.steps.forEach((step, k) => {
      if (k > 0 && step.state === state && run.steps[k - 1].state !== state) steps.push([run.run, k]);
    });
  }
  return {cells: [...new Set(cells)], arrows, states: [state], steps, letters: [...letters]};
}

/**
 * Bring everything in a page alive: each [data-walk] holds pictures, its runs as JSON in a script element with
 * the class ds-runs, and a place for the controls with the class ds-walker; a [data-link] holds pictures only.
 * @param {ParentNode} page
 */
export function enliven(page) {
  for (const root of page.querySelectorAll("[data-walk]")) {
    const data = root.querySelector("script.ds-runs");
    const place = root.querySelector(".ds-walker");
    if (!data || !place) continue;
    /** @type {Run[]} */
    const runs = JSON.parse(data.textContent ?? "[]");
    if (!runs.length) continue;
    walker(root, runs, place);
    linkStates(root, runs);
  }
  for (const root of page.querySelectorAll("[data-link]")) linkStates(root);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string>} attributes
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function make(tag, attributes, text = "") {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.textContent = text;
  return made;
}
