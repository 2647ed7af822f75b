// @ts-check
/**
 * The map on the page. Python draws it once, in layers, with the pieces that cells can get; painting a cell puts a
 * piece there and changes nothing else. Lines of runs are drawn by Python when they change.
 */
import {draw, warn} from "./dom.js";
import {cellsOf, isSlippery, rowsOf, sent, startsOf} from "./problem.js";
import {post} from "./server.js";

/** @typedef {import("./problem.js").Cell} Cell */
/** @typedef {import("./problem.js").World} World */
/** @typedef {{cells: Cell[], name: string, colour: number, dashed?: boolean}} Line */

export class Board {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    /** @type {World | null} */
    this.world = null;
    this.key = "";
    this.linesKey = "";
    /** @type {any} */
    this.pieces = null;
    /** @type {string[][]} */
    this.rows = [];
    /** @type {Map<string, Element>} */
    this.cells = new Map();
    /** @type {Map<string, Element>} */
    this.signs = new Map();
    /** @type {Cell} */
    this.cursor = [1, 1];
    /** @type {AbortController | null} */
    this.drawing = null;
    /** @type {Promise<void>} */
    this.ready = Promise.resolve();
  }

  /** Show a world: cells that differ are painted, unless it needs a new picture. @param {World} world @returns {Promise<void>} */
  show(world) {
    const rows = rowsOf(world);
    const key = JSON.stringify([world.name, rows.length, rows[0]?.length, world.legend, world.walls, world.one_way]);
    this.world = world;
    if (key !== this.key) {
      this.key = key;
      this.ready = this.redraw(world, rows);
      return this.ready;
    }
    if (this.pieces) this.fill(world, rows);
    return this.ready;
  }

  /** @param {World} world @param {string[][]} rows */
  async redraw(world, rows) {
    const key = this.key;
    this.pieces = null;
    const table = sent(/** @type {any} */ ({name: "", worlds: [world]})).worlds[0];
    let told;
    try {
      told = await post("board", {world: {...table, demonstrations: []}});
    } catch (error) {
      warn(/** @type {Error} */ (error).message);
      this.key = "";
      return;
    }
    if (key !== this.key) return; // another was asked for meanwhile
    draw(this.place, told.svg);
    this.pieces = told.pieces;
    this.rows = rows.map((row) => [...row]);
    this.cells = new Map([...this.place.querySelectorAll("[data-cell]")].map((one) => [one.getAttribute("data-cell") ?? "", one]));
    this.signs = new Map([...this.place.querySelectorAll("[data-sign]")].map((one) => [one.getAttribute("data-sign") ?? "", one]));
    this.place.querySelector("svg")?.setAttribute("aria-hidden", "true"); // what is where is told by the status
    this.linesKey = "";
    if (this.world) this.fill(this.world, rowsOf(this.world));
    this.moveCursor(this.cursor);
  }

  /** @param {World} world @param {string[][]} rows */
  fill(world, rows) {
    rows.forEach((row, r) => row.forEach((character, c) => {
      if (this.rows[r]?.[c] !== character) this.paint([c + 1, r + 1], character);
    }));
    this.marks(world);
  }

  /** Paint one cell: nothing but this cell changes. @param {Cell} cell @param {string} character */
  paint(cell, character) {
    const key = `${cell[0]},${cell[1]}`;
    const group = this.cells.get(key);
    const sign = this.signs.get(key);
    const piece = this.pieces?.cells[character];
    if (!group || !sign || !piece) return;
    this.rows[cell[1] - 1][cell[0] - 1] = character;
    group.firstElementChild?.setAttribute("fill", piece.fill);
    if (piece.letter === null) group.removeAttribute("data-letter");
    else group.setAttribute("data-letter", piece.letter);
    sign.innerHTML = piece.sign;
  }

  /** @returns {string} */
  get map() {
    return this.rows.map((row) => row.join("")).join("\n");
  }

  /** @param {string} name @returns {Element | null} */
  layer(name) {
    return this.place.querySelector(`.layer-${name}`);
  }

  /** Draw where episodes begin and end, and where it is slippery. @param {World} world */
  marks(world) {
    const layer = this.layer("marks");
    if (!layer || !this.pieces) return;
    const made = this.pieces.marks;
    const slips = world.slippery?.length
      ? rowsOf(world).flatMap((row, r) => row.map((_, c) => /** @type {Cell} */ ([c + 1, r + 1]))).filter((cell) => isSlippery(world, cell))
      : [];
    layer.innerHTML = [
      ...slips.map((cell) => this.placed(cell, made.slippery)),
      ...(world.terminal ?? []).map((cell) => this.placed(cell, made.terminal)),
      ...startsOf(world).map((cell) => this.placed(cell, made.start)),
    ].join("");
  }

  /** @param {Cell} cell @param {string} piece @returns {string} */
  placed(cell, piece) {
    const side = this.pieces.side;
    return `<g transform="translate(${(cell[0] - 1) * side} ${(cell[1] - 1) * side})">${piece}</g>`;
  }

  /** @param {Cell | null} cell */
  showWalker(cell) {
    const layer = this.layer("walker");
    if (layer && this.pieces) layer.innerHTML = cell ? this.placed(cell, this.pieces.marks.walker) : "";
  }

  /** @param {Cell} cell */
  moveCursor(cell) {
    this.cursor = cell;
    this.place.querySelector(".cursor")?.remove();
    const layer = this.layer("walker");
    if (!layer || !this.pieces) return;
    layer.parentElement?.insertAdjacentHTML("beforeend", this.placed(cell, this.pieces.marks.cursor));
    layer.parentElement?.lastElementChild?.setAttribute("class", "cursor");
  }

  /** Draw the lines of runs; only the last that was asked for counts. @param {Line[]} lines */
  async lines(lines) {
    const world = this.world;
    if (!world) return;
    const key = JSON.stringify([world.name, lines]);
    if (key === this.linesKey) return;
    this.linesKey = key;
    this.drawing?.abort();
    const asked = (this.drawing = new AbortController());
    await this.ready;
    if (!lines.length) return this.put({paths: "", badges: ""});
    try {
      const table = sent(/** @type {any} */ ({name: "", worlds: [world]})).worlds[0];
      const told = await post("lines", {world: {...table, demonstrations: []}, lines}, asked.signal);
      if (this.drawing === asked) this.put(told);
    } catch (error) {
      if (!asked.signal.aborted) warn(/** @type {Error} */ (error).message);
    }
  }

  /** @param {{paths: string, badges: string}} layer */
  put(layer) {
    const [paths, badges] = [this.layer("paths"), this.layer("badges")];
    if (paths) paths.innerHTML = layer.paths;
    if (badges) badges.innerHTML = layer.badges;
  }

  /** Draw a path that nobody walked over the others: a question, a conjecture. @param {{paths: string, badges: string} | null} layer */
  overlay(layer) {
    const place = this.layer("glow");
    this.place.classList.toggle("asking", layer !== null);
    this.place.querySelector(".overlay")?.remove();
    if (!place || !layer) return;
    const walker = this.layer("walker");
    walker?.insertAdjacentHTML("beforebegin", `<g class="overlay">${layer.paths}${layer.badges}</g>`);
  }

  /** The cell under a pointer. @param {PointerEvent} event @returns {Cell | null} */
  at(event) {
    const found = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-cell], [data-sign]");
    const name = found?.getAttribute("data-cell") ?? found?.getAttribute("data-sign");
    if (!name || !this.place.contains(found ?? null)) return null;
    const [column, row] = name.split(",").map(Number);
    return [column, row];
  }

  /** The runs of a world as lines. @param {World} world @returns {Line[]} */
  static linesOf(world, first = 1) {
    return world.demonstrations.map((run, k) => ({cells: cellsOf(world, run), name: String(first + k), colour: first + k - 1}));
  }
}
