// @ts-check
/**
 * Showing a run: walk with the arrow keys, with buttons, or by dragging. Where a move leads is the world's chance;
 * what it may do was told by the server once, so that a step needs no request.
 */
import {$, h, say, warn} from "./dom.js";
import {Board} from "./board.js";
import {cellsOf, letterOf, rowsOf, same, sent, startsOf} from "./problem.js";
import {post} from "./server.js";

/** @typedef {import("./problem.js").Cell} Cell */
/** @typedef {[number, number, number]} Outcome   column, row, probability */

const ARROWS = {ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right"};
const STEPS = {up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0]};

export class Walking {
  /** @param {import("./problem.js").Store} store @param {Board} board @param {() => void} done */
  constructor(store, board, done) {
    this.store = store;
    this.board = board;
    this.done = done;
    /** @type {any} */
    this.moves = null;
    this.movesKey = "";
    /** @type {{start: Cell, path: (string | Cell)[]} | null} */
    this.run = null;
    this.dragging = false;
    /** @type {{action: string, outcomes: Outcome[]} | null} */
    this.choosing = null;
    this.slips = h("select", {id: "slips"}, h("option", {value: "chance"}, "happen by chance"), h("option", {value: "never"}, "happen only when I say"));
  }

  /** Get ready to walk in the world that is shown. */
  async begin() {
    const world = this.store.world;
    const table = {...sent({name: "", worlds: [world]}).worlds[0], demonstrations: []};
    const key = JSON.stringify(table);
    if (key !== this.movesKey || !this.moves) {
      this.moves = null;
      try {
        this.moves = await post("moves", {world: table});
      } catch (error) {
        warn(/** @type {Error} */ (error).message);
        return;
      }
      this.movesKey = key;
    }
    if (!this.run) this.restart();
    this.show();
  }

  /** @param {Cell} [from] */
  restart(from) {
    const starts = startsOf(this.store.world);
    const start = from ?? starts[this.store.world.demonstrations.length % Math.max(1, starts.length)];
    this.run = start ? {start, path: []} : null;
    this.choosing = null;
  }

  leave() {
    this.run = null;
    this.choosing = null;
    this.board.showWalker(null);
    $("walking").hidden = true;
  }

  /** @returns {Cell} */
  get here() {
    const run = /** @type {{start: Cell, path: (string | Cell)[]}} */ (this.run);
    return run.path.length ? /** @type {Cell} */ (run.path.at(-1)) : run.start;
  }

  get steps() {
    return (this.run?.path.length ?? 0) / 2;
  }

  get over() {
    const ends = (this.moves?.terminal ?? []).some((/** @type {Cell} */ one) => same(one, this.here));
    return this.steps >= this.store.world.episode.horizon || (this.steps > 0 && ends);
  }

  // -- steps -----------------------------------------------------------------------------------------------

  /** Take an action; `slip` forces what was not meant. @param {string} action @param {boolean} [slip] */
  step(action, slip = false) {
    if (!this.run || !this.moves || this.over) return;
    /** @type {Outcome[] | undefined} */
    const outcomes = this.moves.moves[this.here.join(",")]?.[action];
    if (!outcomes) return say(`There is no way ${action} from here.`);
    const [meant, ...others] = [...outcomes].sort((a, b) => b[2] - a[2]);
    this.choosing = null;
    if (slip) {
      if (!others.length) return say(`${action} always leads the same way here: nothing can slip.`);
      if (others.length > 1) {
        this.choosing = {action, outcomes: others};
        return this.show();
      }
      return this.take(action, others[0], true);
    }
    const drawn = this.slips.value === "chance" ? choose(outcomes) : meant;
    this.take(action, drawn, drawn !== meant);
  }

  /** @param {string} action @param {Outcome} outcome @param {boolean} slipped */
  take(action, outcome, slipped) {
    const run = this.run;
    if (!run) return;
    this.choosing = null;
    const cell = /** @type {Cell} */ ([outcome[0], outcome[1]]);
    run.path = [...run.path, action, cell];
    this.board.showWalker(cell); // at once; the line follows
    const letter = letterOf(this.store.world, rowsOf(this.store.world)[cell[1] - 1][cell[0] - 1]);
    const how = slipped ? `${action}, but slipped` : action;
    say(`Step ${this.steps}: ${how}, to column ${cell[0]}, row ${cell[1]}${letter ? `, which reads ${letter}` : ""}.`);
    this.dragging &&= !slipped;
    if (this.over) this.finish();
    else this.show();
  }

  back() {
    if (!this.run?.path.length) return;
    this.run.path = this.run.path.slice(0, -2);
    say(`One step back, to column ${this.here[0]}, row ${this.here[1]}.`);
    this.show();
  }

  /** End the run here: it was stopped because all was done. */
  finish() {
    const run = this.run;
    if (!run) return;
    if (!run.path.length) return say("A run takes at least one step.");
    const {episode} = this.store.world;
    const canEnd = episode.ends === "by choice" || (episode.end_probability ?? 0) > 0 || this.over;
    const several = startsOf(this.store.world).length > 1;
    this.store.changeWorld((world) => {
      world.demonstrations.push({complete: canEnd, path: run.path, ...(several ? {start: run.start} : {})});
    });
    this.restart();
    this.show();
    say(canEnd ? "The run is kept." : "The run is kept as one that was cut: here episodes cannot end before the horizon.");
    this.done();
  }

  // -- what is shown ---------------------------------------------------------------------------------------

  show() {
    const place = $("walking");
    place.hidden = !this.run;
    if (!this.run) return;
    this.board.showWalker(this.here);
    const world = this.store.world;
    const first = 1 + this.store.problem.worlds.slice(0, this.store.at).reduce((sum, one) => sum + one.demonstrations.length, 0);
    const lines = Board.linesOf(world, first);
    const number = first + world.demonstrations.length;
    if (this.run.path.length) {
      lines.push({cells: cellsOf(world, {complete: false, ...this.run}), name: String(number), colour: number - 1});
    }
    this.board.lines(lines);
    if (this.choosing) return this.showChoice(place);
    if (!place.querySelector(".pad")) place.replaceChildren(...this.controls());
    const count = place.querySelector(".count");
    if (count) count.textContent = `Run ${number}, step ${this.steps} of at most ${world.episode.horizon}`;
    for (const name of ["back", "finish", "discard"]) {
      const button = place.querySelector(`[data-do=${name}]`);
      if (button) button.disabled = !this.run.path.length;
    }
  }

  /** @returns {HTMLElement[]} */
  controls() {
    const pad = h("div", {class: "pad", role: "group", "aria-label": "Move"});
    for (const [name, sign] of [["left", "←"], ["up", "↑"], ["down", "↓"], ["right", "→"]]) {
      pad.append(h("button", {type: "button", "aria-label": name, onclick: (/** @type {MouseEvent} */ event) => this.step(name, event.shiftKey)}, sign));
    }
    return [
      h("p", {class: "count"}),
      h("div", {class: "bar"}, pad,
        h("button", {type: "button", "data-do": "finish", class: "main", onclick: () => this.finish()}, "Done (Enter)"),
        h("button", {type: "button", "data-do": "back", onclick: () => this.back()}, "Step back"),
        h("button", {type: "button", "data-do": "discard", onclick: () => this.discard()}, "Discard"),
        h("label", {}, "Slips ", this.slips)),
    ];
  }

  discard() {
    this.restart();
    say("The run was thrown away.");
    this.show();
  }

  /** @param {HTMLElement} place */
  showChoice(place) {
    const {action, outcomes} = /** @type {{action: string, outcomes: Outcome[]}} */ (this.choosing);
    place.replaceChildren(
      h("p", {}, `${action} was meant. Where did it slip to?`),
      h("div", {class: "bar"}, ...outcomes.map((one, k) => h("button", {type: "button", onclick: () => this.take(action, one, true)},
        `${k + 1}: column ${one[0]}, row ${one[1]}`))));
    place.querySelector("button")?.focus();
  }

  // -- keys and pointer ------------------------------------------------------------------------------------

  /** @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    const action = ARROWS[/** @type {keyof typeof ARROWS} */ (event.key)];
    if (action) this.step(action, event.shiftKey);
    else if (event.key === "Enter") this.finish();
    else if (event.key === "Backspace") this.back();
    else if (event.key === "Escape") this.discard();
    else return false;
    return true;
  }

  /** @param {Cell} cell */
  grab(cell) {
    const starts = startsOf(this.store.world);
    const other = starts.find((one) => same(one, cell));
    if (this.run && !this.run.path.length && other) this.restart(other);
    this.dragging = true;
    this.drag(cell);
  }

  /** @param {Cell} cell */
  drag(cell) {
    if (!this.dragging || !this.run) return;
    const [dx, dy] = [cell[0] - this.here[0], cell[1] - this.here[1]];
    const found = Object.entries(STEPS).find(([, [x, y]]) => x === Math.sign(dx) * Number(Math.abs(dx) >= Math.abs(dy)) && y === Math.sign(dy) * Number(Math.abs(dy) > Math.abs(dx)));
    if (found && (dx || dy)) this.step(found[0]);
  }

  drop() {
    this.dragging = false;
  }
}

/** Draw an outcome by its probability. @param {Outcome[]} outcomes @returns {Outcome} */
function choose(outcomes) {
  let left = Math.random();
  for (const one of outcomes) {
    left -= one[2];
    if (left < 0) return one;
  }
  return outcomes[outcomes.length - 1];
}
