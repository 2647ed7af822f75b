// @ts-check
/**
 * The problem that the page holds: a problem file's tables as JSON, with all worlds under `worlds`; what can be
 * undone; and what follows from it, such as which letter a character of a map is.
 */

/**
 * @typedef {[number, number]} Cell      column, row; from 1, from the top left
 * @typedef {{complete: boolean, path: (string | Cell)[], start?: Cell}} Run
 * @typedef {object} World
 * @property {string} name
 * @property {string} kind
 * @property {string} map
 * @property {Cell} [start]
 * @property {{cell: Cell, probability?: number}[]} [starts]
 * @property {{direction: string, probability: number}} [wind]
 * @property {string} [walls]
 * @property {{probability: number, cells?: Cell[], characters?: string}[]} [slippery]
 * @property {Cell[]} [terminal]
 * @property {string} [blocked]
 * @property {boolean} [one_way]
 * @property {Record<string, string | string[]>} [legend]
 * @property {{horizon: number, end_probability?: number, ends?: string}} episode
 * @property {Run[]} demonstrations
 *
 * @typedef {{word: string[], accept: boolean}} Example
 * @typedef {{name: string, alphabet?: string[], worlds: World[], examples?: Example[], task?: any}} Problem
 */

/** @returns {Problem} */
export function blank() {
  return {
    name: "mine",
    alphabet: [],
    worlds: [newWorld("world", 8, 8)],
    task: {merge_repeats: true},
  };
}

/** @param {string} name @param {number} columns @param {number} rows @returns {World} */
export function newWorld(name, columns, rows) {
  return {
    name,
    kind: "gridworld",
    map: Array(rows).fill(".".repeat(columns)).join("\n"),
    start: [1, 1],
    blocked: "stay",
    walls: "#",
    episode: {horizon: 20, ends: "by choice"},
    demonstrations: [],
  };
}

/** What can be undone, and who wants to know. */
export class Store {
  /** @param {Problem} problem */
  constructor(problem) {
    this.problem = problem;
    this.at = 0; // the world that is shown
    /** @type {{problem: Problem, at: number}[]} */
    this.before = [];
    /** @type {{problem: Problem, at: number}[]} */
    this.after = [];
    /** @type {(() => void)[]} */
    this.listeners = [];
  }

  /** @returns {World} */
  get world() {
    return this.problem.worlds[this.at];
  }

  /** @param {() => void} listener */
  onchange(listener) {
    this.listeners.push(listener);
  }

  /** Change a copy of the problem; what was before can be had again. @param {(problem: Problem) => void} change */
  change(change) {
    const next = structuredClone(this.problem);
    change(next);
    this.before.push({problem: this.problem, at: this.at});
    if (this.before.length > 300) this.before.shift();
    this.after = [];
    this.problem = next;
    this.tell();
  }

  /** Change the world that is shown. @param {(world: World) => void} change */
  changeWorld(change) {
    this.change((problem) => change(problem.worlds[this.at]));
  }

  /** @param {Problem} problem */
  replace(problem) {
    this.change((old) => {
      for (const key of Object.keys(old)) delete /** @type {any} */ (old)[key];
      Object.assign(old, problem);
      this.at = 0;
    });
  }

  /** @param {number} number */
  show(number) {
    this.at = number;
    this.tell();
  }

  undo() {
    this.swap(this.before, this.after);
  }

  redo() {
    this.swap(this.after, this.before);
  }

  /** @param {{problem: Problem, at: number}[]} from @param {{problem: Problem, at: number}[]} to */
  swap(from, to) {
    const found = from.pop();
    if (!found) return;
    to.push({problem: this.problem, at: this.at});
    this.problem = found.problem;
    this.at = Math.min(found.at, found.problem.worlds.length - 1);
    this.tell();
  }

  tell() {
    this.at = Math.min(this.at, this.problem.worlds.length - 1);
    for (const listener of this.listeners) listener();
  }
}

// -- what follows from a world ------------------------------------------------------------------------------

/** @param {World} world @returns {string[][]} */
export function rowsOf(world) {
  return world.map.trim().split("\n").map((row) => [...row.trim()]);
}

/** @param {World} world @returns {Cell[]} */
export function startsOf(world) {
  return world.starts?.length ? world.starts.map((one) => one.cell) : world.start ? [world.start] : [];
}

/** The letter of a character on a map; null is none. @param {World} world @param {string} character @returns {string | null} */
export function letterOf(world, character) {
  const told = world.legend?.[character];
  if (told !== undefined) return Array.isArray(told) ? [...told].sort().join("+") || null : told || null;
  if (character === "." || world.walls?.includes(character)) return null;
  return character;
}

/** The characters that paint a letter in this world, by letter. @param {World} world @returns {Map<string, string>} */
export function charactersOf(world) {
  /** @type {Map<string, string>} */
  const found = new Map();
  const drawn = new Set(world.map.replace(/\s/g, ""));
  for (const character of [...Object.keys(world.legend ?? {}), ...drawn]) {
    const letter = letterOf(world, character);
    if (letter !== null && !found.has(letter)) found.set(letter, character);
  }
  return found;
}

/** All letters of a problem, as the palette shows them. @param {Problem} problem @returns {string[]} */
export function lettersOf(problem) {
  const found = new Set(problem.alphabet ?? []);
  for (const world of problem.worlds) for (const letter of charactersOf(world).keys()) found.add(letter);
  return [...found];
}

/**
 * The character with which a world paints a letter; the legend gets it where it is new.
 * @param {World} world
 * @param {string} letter
 * @returns {string}
 */
export function characterFor(world, letter) {
  const known = charactersOf(world).get(letter);
  if (known) return known;
  const taken = new Set([...world.map, ...Object.keys(world.legend ?? {}), ...(world.walls ?? ""), "."]);
  const wanted = [...letter.toLowerCase(), ..."abcdefghijklmnopqrstuvwxyz", ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
  const character = wanted.find((one) => /[A-Za-z0-9]/.test(one) && !taken.has(one));
  if (!character) throw new Error("there is no character left for another letter");
  if (character !== letter) world.legend = {...world.legend, [character]: letter};
  return character;
}

/** @param {World} world @param {Cell} cell @returns {boolean} */
export function isSlippery(world, cell) {
  const character = rowsOf(world)[cell[1] - 1]?.[cell[0] - 1] ?? ".";
  return (world.slippery ?? []).some(
    (one) => one.characters?.includes(character) || one.cells?.some((other) => same(other, cell)),
  );
}

/** @param {Cell} one @param {Cell} other @returns {boolean} */
export const same = (one, other) => one[0] === other[0] && one[1] === other[1];

/** The cells that a run passes. @param {World} world @param {Run} run @returns {Cell[]} */
export function cellsOf(world, run) {
  const steps = /** @type {Cell[]} */ (run.path.filter((_, k) => k % 2 === 1));
  return [run.start ?? startsOf(world)[0], ...steps];
}

/** The letters that a run reads, repeats merged where the problem says so. @param {Problem} problem @param {World} world @param {Run} run @returns {string[]} */
export function wordOf(problem, world, run) {
  const rows = rowsOf(world);
  /** @type {string[]} */
  const word = [];
  for (const [column, row] of cellsOf(world, run)) {
    const letter = letterOf(world, rows[row - 1]?.[column - 1] ?? ".");
    if (letter !== null && !(problem.task?.merge_repeats && word.at(-1) === letter)) word.push(letter);
  }
  return word;
}

/** The problem as the server reads it: what says nothing is left out. @param {Problem} problem @returns {Problem} */
export function sent(problem) {
  const copy = structuredClone(problem);
  copy.alphabet = lettersOf(problem);
  for (const world of copy.worlds) {
    if (world.slippery) world.slippery = world.slippery.filter((one) => one.cells?.length || one.characters);
    if (!world.slippery?.length) delete world.slippery;
    if (!world.terminal?.length) delete world.terminal;
    if (!world.starts?.length) delete world.starts;
    if (world.starts) delete world.start;
    if (world.wind && !(world.wind.probability > 0)) delete world.wind;
    if (world.legend && !Object.keys(world.legend).length) delete world.legend;
    if (!world.map.includes("#") && world.walls === "#") delete world.walls;
  }
  if (!copy.alphabet.length) delete copy.alphabet;
  if (!copy.examples?.length) delete copy.examples;
  return copy;
}

// -- links ----------------------------------------------------------------------------------------------

/** The fragment that holds a problem. @param {Problem} problem @returns {Promise<string>} */
export async function fragmentOf(problem) {
  const text = new Blob([JSON.stringify(sent(problem))]).stream();
  const packed = await new Response(text.pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer();
  const code = btoa(Array.from(new Uint8Array(packed), (byte) => String.fromCharCode(byte)).join(""));
  return `#p=${code.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}
