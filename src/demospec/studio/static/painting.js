// @ts-check
/** Drawing on the map: the palette, and painting with pointer or keys. A stroke can be undone as one thing. */
import {$, h, say, warn} from "./dom.js";
import {characterFor, isSlippery, letterOf, lettersOf, rowsOf, same, startsOf} from "./problem.js";
import {post} from "./server.js";

/** @typedef {import("./problem.js").Cell} Cell */
/** @typedef {{kind: "letter" | "white" | "wall" | "start" | "slippery" | "terminal", letter?: string}} Brush */

const KINDS = [
  {kind: "white", name: "white", title: "Erase: a cell without a letter"},
  {kind: "wall", name: "wall", title: "A wall, which cannot be entered"},
  {kind: "start", name: "start", title: "Where runs begin; paint several for several starts"},
  {kind: "slippery", name: "slippery", title: "Moves from here may go sideways"},
  {kind: "terminal", name: "end", title: "Whoever enters this cell has ended the episode"},
];

export class Painting {
  /** @param {import("./problem.js").Store} store @param {import("./board.js").Board} board */
  constructor(store, board) {
    this.store = store;
    this.board = board;
    /** @type {Brush} */
    this.brush = {kind: "wall"};
    /** @type {Record<string, {fill: string, ink: string}>} */
    this.colours = {};
    /** @type {Set<string> | null} */
    this.stroke = null;
    this.erasing = false;
  }

  /** Show the palette. */
  async show() {
    const letters = lettersOf(this.store.problem);
    const unknown = letters.filter((letter) => !this.colours[letter]);
    if (unknown.length) Object.assign(this.colours, await post("letters", {names: unknown}).catch(() => ({})));
    if (this.brush.kind === "letter" && !letters.includes(this.brush.letter ?? "")) this.brush = {kind: "wall"};
    const tools = h("div", {class: "palette", role: "radiogroup", "aria-label": "What is painted"});
    for (const letter of letters) {
      const colour = this.colours[letter] ?? {fill: "#888888", ink: "#ffffff"};
      const button = this.button({kind: "letter", letter}, letter, `Cells that read ${letter}`);
      const swatch = h("span", {class: "swatch"}, [...letter][0]);
      swatch.style.background = colour.fill;
      swatch.style.color = colour.ink;
      button.prepend(swatch);
      tools.append(button);
    }
    for (const one of KINDS) tools.append(this.button(/** @type {Brush} */ ({kind: one.kind}), one.name, one.title));
    const name = h("input", {id: "letter-name", size: 9, maxlength: 20, placeholder: "new letter", "aria-label": "Name of a new letter"});
    const add = h("form", {class: "add", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.addLetter(name.value.trim());
    }}, name, h("button", {type: "submit"}, "Add letter"));
    const focused = document.activeElement?.id === "letter-name";
    $("tools").replaceChildren(tools, add);
    if (focused) $("letter-name").focus();
  }

  /** @param {Brush} brush @param {string} name @param {string} title */
  button(brush, name, title) {
    const chosen = brush.kind === this.brush.kind && brush.letter === this.brush.letter;
    return h("button", {
      type: "button", role: "radio", "aria-checked": String(chosen), title, "data-brush": brush.letter ?? brush.kind,
      class: `brush ${brush.kind}`, onclick: () => {
        this.brush = brush;
        for (const one of $("tools").querySelectorAll("[role=radio]")) {
          one.setAttribute("aria-checked", String(one.getAttribute("data-brush") === (brush.letter ?? brush.kind)));
        }
      },
    }, name);
  }

  /** @param {string} name */
  addLetter(name) {
    if (!name) return;
    if (!/^[\p{L}\p{N}_-]+$/u.test(name)) return warn("A letter's name has letters, digits, _ and - only.");
    if (!lettersOf(this.store.problem).includes(name)) {
      this.store.change((problem) => {
        problem.alphabet = [...(problem.alphabet ?? []), name];
        characterFor(problem.worlds[this.store.at], name);
      });
    }
    this.brush = {kind: "letter", letter: name};
    this.show();
    say(`Paint cells that read ${name}.`);
  }

  // -- strokes ---------------------------------------------------------------------------------------------

  /** @param {Cell} cell */
  begin(cell) {
    this.stroke = new Set();
    const world = this.store.world;
    if (this.brush.kind === "letter") {
      const letter = this.brush.letter ?? "";
      const copy = structuredClone(world);
      const character = characterFor(copy, letter); // a letter that this world does not have yet
      if (JSON.stringify(copy.legend) !== JSON.stringify(world.legend)) {
        this.store.changeWorld((one) => void characterFor(one, letter));
      }
      this.character = character;
    } else this.character = this.brush.kind === "wall" ? "#" : ".";
    const here = this.board.rows[cell[1] - 1]?.[cell[0] - 1];
    this.erasing = this.brush.kind === "slippery" ? isSlippery(world, cell)
      : this.brush.kind === "terminal" ? (world.terminal ?? []).some((one) => same(one, cell))
      : this.brush.kind !== "white" && this.brush.kind !== "start" && here === this.character;
    this.over(cell);
  }

  /** @param {Cell} cell */
  over(cell) {
    const key = cell.join(",");
    if (!this.stroke || this.stroke.has(key)) return;
    this.stroke.add(key);
    if (["letter", "wall", "white"].includes(this.brush.kind)) this.board.paint(cell, this.erasing ? "." : this.character ?? ".");
  }

  end() {
    const painted = this.stroke;
    this.stroke = null;
    if (!painted?.size) return;
    const cells = [...painted].map((one) => /** @type {Cell} */ (one.split(",").map(Number)));
    const map = this.board.map;
    this.store.changeWorld((world) => {
      const kind = this.brush.kind;
      if (kind === "start") this.setStarts(world, cells);
      else if (kind === "slippery") this.setSlippery(world, cells);
      else if (kind === "terminal") {
        const others = (world.terminal ?? []).filter((one) => !cells.some((cell) => same(one, cell)));
        world.terminal = this.erasing ? others : [...others, ...cells];
      } else {
        world.map = map;
        if (kind === "wall") world.walls = world.walls || "#";
      }
    });
    if (cells.length === 1) say(this.told(cells[0]));
  }

  /** One click moves the start; a stroke over several cells makes all of them starts. @param {import("./problem.js").World} world @param {Cell[]} cells */
  setStarts(world, cells) {
    delete world.starts;
    if (cells.length === 1) world.start = cells[0];
    else {
      delete world.start;
      world.starts = cells.map((cell) => ({cell}));
    }
  }

  /** @param {import("./problem.js").World} world @param {Cell[]} cells */
  setSlippery(world, cells) {
    const own = world.slippery?.find((one) => one.cells) ?? {probability: 0.2, cells: []};
    const left = (own.cells ?? []).filter((one) => !cells.some((cell) => same(one, cell)));
    own.cells = this.erasing ? left : [...left, ...cells];
    world.slippery = [...(world.slippery ?? []).filter((one) => !one.cells), own].filter((one) => one.cells?.length || one.characters);
  }

  /** What a cell is, in words. @param {Cell} cell @returns {string} */
  told(cell) {
    const world = this.store.world;
    const character = rowsOf(world)[cell[1] - 1]?.[cell[0] - 1] ?? ".";
    const parts = [world.walls?.includes(character) ? "wall" : letterOf(world, character) ?? "white"];
    if (startsOf(world).some((one) => same(one, cell))) parts.push("start");
    if (isSlippery(world, cell)) parts.push("slippery");
    if ((world.terminal ?? []).some((one) => same(one, cell))) parts.push("the episode ends here");
    return `Column ${cell[0]}, row ${cell[1]}: ${parts.join(", ")}.`;
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was one of ours */
  key(event) {
    const moves = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
    const step = moves[/** @type {keyof typeof moves} */ (event.key)];
    const [column, row] = this.board.cursor;
    if (step) {
      const rows = this.board.rows;
      const cell = /** @type {Cell} */ ([
        Math.max(1, Math.min(rows[0].length, column + step[0])), Math.max(1, Math.min(rows.length, row + step[1])),
      ]);
      this.board.moveCursor(cell);
      if (event.shiftKey) {
        this.begin(cell);
        this.end();
      } else say(this.told(cell));
      return true;
    }
    if (event.key === " " || event.key === "Enter") {
      this.begin(this.board.cursor);
      this.end();
      return true;
    }
    return false;
  }
}
