// @ts-check
/** The page: puts its parts together, and passes on what pointer and keys do. */
import {$, h, say, warn} from "./dom.js";
import {Board} from "./board.js";
import {Painting} from "./painting.js";
import {Walking} from "./walking.js";
import {Learning} from "./learning.js";
import {showDetails} from "./answer.js";
import {showWalks} from "./understand.js";
import {copyLink, openFile, saveFile} from "./keeping.js";
import {showRuns, showSettings, showWorlds} from "./lists.js";
import {Store, blank, fragmentOf} from "./problem.js";
import {Desk, post} from "./server.js";

const HINTS = {
  draw: "Paint with the pointer. With keys: arrows move, space paints, shift and arrows paint on.",
  walk: "Arrow keys walk, shift and an arrow forces a slip, backspace steps back, enter is done. Or drag a path from the start.",
};

const store = new Store(blank());
const board = new Board($("board"));
const desk = new Desk();
const painting = new Painting(store, board);
const learning = new Learning(store, board, desk);
const walking = new Walking(store, board, () => $("auto").checked && learning.start());
let mode = /** @type {"draw" | "walk"} */ ("draw");
let limits = {side: 64, worlds: 8, horizon: 400};
let shownWorld = 0;

/** Show the problem as it is now. */
async function show() {
  showWorlds(store, limits);
  showSettings(store, limits);
  $("undo").disabled = !store.before.length;
  $("redo").disabled = !store.after.length;
  const moved = shownWorld !== store.at;
  shownWorld = store.at;
  await Promise.all([painting.show(), board.show(store.world)]);
  learning.colours = painting.colours;
  showRuns(store, painting.colours);
  learning.changed();
  if (moved && learning.details) showWalks(learning);
  if (mode === "walk") {
    if (moved) walking.leave();
    await walking.begin();
  } else drawLines();
  keepAddress();
}

function drawLines() {
  const first = 1 + store.problem.worlds.slice(0, store.at).reduce((sum, world) => sum + world.demonstrations.length, 0);
  board.lines(Board.linesOf(store.world, first));
}

let keeping = 0;
/** Let the address hold the problem, so that a reload brings it back. */
function keepAddress() {
  clearTimeout(keeping);
  keeping = window.setTimeout(async () => history.replaceState(null, "", await fragmentOf(store.problem)), 300);
}

/** @param {"draw" | "walk"} next */
async function setMode(next) {
  mode = next;
  $("hint").textContent = HINTS[mode];
  $("tools").hidden = mode === "walk";
  board.place.classList.toggle("walking", mode === "walk");
  board.place.setAttribute("aria-label", mode === "walk" ? "Map, to show a run on" : "Map, to draw on");
  if (mode === "walk") await walking.begin();
  else {
    walking.leave();
    drawLines();
  }
}

// -- pointer and keys on the map ----------------------------------------------------------------------------

board.place.addEventListener("pointerdown", (event) => {
  const cell = board.at(event);
  if (!cell || event.button !== 0) return;
  event.preventDefault();
  board.place.focus({preventScroll: true});
  board.moveCursor(cell);
  if (mode === "draw") painting.begin(cell);
  else walking.grab(cell);
});
board.place.addEventListener("pointermove", (event) => {
  if (!painting.stroke && !walking.dragging) return;
  for (const one of event.getCoalescedEvents?.() ?? [event]) {
    const cell = board.at(one);
    if (!cell) continue;
    if (mode === "draw") painting.over(cell);
    else walking.drag(cell);
  }
});
for (const name of ["pointerup", "pointercancel"]) {
  addEventListener(name, () => {
    painting.end();
    walking.drop();
  });
}
board.place.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !board.pieces) return;
  if (mode === "draw" ? painting.key(event) : walking.key(event)) event.preventDefault();
});
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (/** @type {Element} */ (event.target).matches("input:not([type=checkbox]):not([type=radio])")) return;
  event.preventDefault();
  if (event.shiftKey) store.redo();
  else store.undo();
});

// -- buttons ------------------------------------------------------------------------------------------------

for (const input of document.querySelectorAll("input[name=mode]")) {
  input.addEventListener("change", () => setMode(/** @type {any} */ (input).value));
}
$("undo").addEventListener("click", () => store.undo());
$("redo").addEventListener("click", () => store.redo());
$("new").addEventListener("click", () => {
  store.replace(blank());
  lesson("");
});
$("open").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", async () => {
  const [file] = $("file").files;
  if (file) await openFile(store, file);
  $("file").value = "";
  lesson("");
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) openFile(store, file);
});
$("save").addEventListener("click", () => saveFile(store));
$("link").addEventListener("click", () => copyLink(store));
$("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  setTheme(dark === "dark" ? "light" : "dark");
});

/** @param {string} theme */
function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  $("theme").textContent = theme === "dark" ? "Light" : "Dark";
}

// -- examples and the beginning -----------------------------------------------------------------------------

/** @type {{name: string, title: string, text: string}[]} */
let lessons = [];

/** @param {string} name */
function lesson(name) {
  const found = lessons.find((one) => one.name === name);
  $("lessons").value = name;
  $("lesson").hidden = !found;
  $("lesson").textContent = found ? found.text : "";
}

$("lessons").addEventListener("change", async () => {
  const name = $("lessons").value;
  if (!name) return;
  try {
    store.replace(await post("open", {example: name}));
    lesson(name);
    learning.start();
  } catch (error) {
    warn(/** @type {Error} */ (error).message);
  }
});

desk.on("offline", () => document.body.classList.add("offline"));
desk.on("online", () => document.body.classList.remove("offline"));
desk.on("renewed", () => learning.details && showDetails(learning));

async function begin() {
  if (matchMedia("(prefers-color-scheme: dark)").matches) $("theme").textContent = "Light";
  setMode("draw");
  store.onchange(show);
  let told;
  try {
    told = await desk.open();
  } catch (error) {
    warn(/** @type {Error} */ (error).message);
    desk.reopen();
    return;
  }
  limits = told.limits;
  lessons = told.lessons;
  learning.formats = told.formats;
  $("lessons").replaceChildren(h("option", {value: ""}, "choose…"), ...lessons.map((one) => h("option", {value: one.name}, one.title)));
  await load(told.first);
  document.body.dataset.ready = "true";
}

/** Begin with what the address holds, with what the command was given, or with an empty map. @param {any} first */
async function load(first) {
  if (location.hash.startsWith("#p=")) {
    try {
      store.problem = await post("open", {link: location.hash});
    } catch (error) {
      warn(/** @type {Error} */ (error).message);
    }
  } else if (first) store.problem = first;
  await show();
}

addEventListener("hashchange", async () => {
  if (!location.hash.startsWith("#p=")) return;
  try {
    store.replace(await post("open", {link: location.hash}));
    say("The link is open.");
  } catch (error) {
    warn(/** @type {Error} */ (error).message);
  }
});

begin();
