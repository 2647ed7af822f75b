// @ts-check
/** Lists beside the map: the worlds, the runs, what was answered, and the settings of world and episode. */
import {$, fill, h, say, warn} from "./dom.js";
import {newWorld, rowsOf, same, startsOf, wordOf} from "./problem.js";

/** @typedef {import("./problem.js").Store} Store */
/** @typedef {import("./problem.js").World} World */

/** @param {Store} store @param {any} limits */
export function showWorlds(store, limits) {
  const {worlds} = store.problem;
  const tabs = worlds.map((world, k) => h("button", {
    type: "button", "aria-pressed": String(k === store.at), onclick: () => store.show(k),
  }, world.name));
  const add = h("button", {type: "button", title: "Another world of the same task", onclick: () => addWorld(store, limits)}, "+ world");
  const copy = h("button", {type: "button", title: "A copy of this world, without its runs", onclick: () => addWorld(store, limits, store.world)}, "Copy");
  const drop = h("button", {type: "button", title: "Take this world away, with its runs", onclick: () => {
    store.change((problem) => void problem.worlds.splice(store.at, 1));
  }}, "Remove");
  fill($("worlds"), ...tabs, add, copy, worlds.length > 1 ? drop : null);
}

/** @param {Store} store @param {any} limits @param {World} [like] @returns {boolean} */
export function addWorld(store, limits, like) {
  if (store.problem.worlds.length >= limits.worlds) {
    warn(`A problem has at most ${limits.worlds} worlds here.`);
    return false;
  }
  store.change((problem) => {
    const names = problem.worlds.map((one) => one.name);
    let number = names.length + 1;
    while (names.includes(`world ${number}`)) number += 1;
    const old = problem.worlds[store.at];
    const made = like ? {...structuredClone(like), demonstrations: []} : {
      ...newWorld("", rowsOf(old)[0].length, rowsOf(old).length), legend: old.legend, episode: old.episode, wind: old.wind,
    };
    problem.worlds.push({...made, name: `world ${number}`});
    store.at = problem.worlds.length - 1;
  });
  return true;
}

/** @param {Store} store @param {any} colours */
export function showRuns(store, colours) {
  const list = h("ol", {class: "runs"});
  let number = 0;
  store.problem.worlds.forEach((world, place) => world.demonstrations.forEach((run, k) => {
    number += 1;
    const badge = h("span", {class: `badge line-${(number - 1) % 8}`}, String(number));
    const word = wordOf(store.problem, world, run);
    const read = h("span", {class: "word"}, ...(word.length ? word.map((letter) => chip(letter, colours)) : ["no letter"]));
    const cut = h("input", {type: "checkbox", checked: !run.complete, onchange: () => {
      store.change((problem) => {
        const one = problem.worlds[place].demonstrations[k];
        one.complete = !one.complete;
      });
    }});
    list.append(h("li", {"data-world": null, class: place === store.at ? "" : "elsewhere"}, badge,
      h("span", {}, `${run.path.length / 2} steps`), read,
      store.problem.worlds.length > 1 ? h("span", {class: "hint"}, `in ${world.name}`) : null,
      h("label", {class: "check", title: "It went on, but what came then was not seen"}, cut, " cut off"),
      h("button", {type: "button", "aria-label": `Remove run ${number}`, onclick: () => {
        store.change((problem) => void problem.worlds[place].demonstrations.splice(k, 1));
        say("The run is removed. Undo brings it back.");
      }}, "✕")));
  }));
  const given = (store.problem.examples ?? []).map((one, k) => h("li", {}, h("span", {class: "word"}, ...(one.word.length ? one.word.map((letter) => chip(letter, colours)) : ["no letter"])),
    h("span", {}, one.accept ? "is all right" : "is not all right"),
    h("button", {type: "button", "aria-label": `Remove answer ${k + 1}`, onclick: () => {
      store.change((problem) => void problem.examples?.splice(k, 1));
    }}, "✕")));
  $("runs").replaceChildren(
    number ? list : h("p", {class: "hint"}, "No run yet. Choose “Show a run”, and walk with the arrow keys."),
    ...(given.length ? [h("h3", {}, "Your answers"), h("ul", {class: "runs"}, ...given)] : []));
}

/** @param {string} letter @param {any} colours */
export function chip(letter, colours) {
  const made = h("span", {class: "chip"}, letter);
  const colour = colours[letter];
  if (colour) {
    made.style.background = colour.fill;
    made.style.color = colour.ink;
  }
  return made;
}

// -- settings -----------------------------------------------------------------------------------------------

/** @param {Store} store @param {any} limits */
export function showSettings(store, limits) {
  const {world} = store;
  const rows = rowsOf(world);
  const {episode} = world;
  const place = $("settings").lastElementChild;
  const focused = document.activeElement?.id;
  const slip = world.slippery?.find((one) => one.cells)?.probability ?? 0.2;
  const byChoice = episode.ends === "by choice";
  fill(place,
    field("problem-name", "Name", store.problem.name, (value) => store.change((problem) => void (problem.name = value || "mine"))),
    number("columns", "Columns", rows[0].length, 1, limits.side, (value) => resize(store, value, rows.length)),
    number("rows", "Rows", rows.length, 1, limits.side, (value) => resize(store, rows[0].length, value)),
    number("horizon", "Steps at most", episode.horizon, 1, limits.horizon, (value) => store.changeWorld((one) => void (one.episode.horizon = value))),
    choice("ends", "A run ends", [["by choice", "where one stops"], ["by chance", "by chance"]], byChoice ? "by choice" : "by chance", (value) => {
      store.changeWorld((one) => {
        one.episode = value === "by choice" ? {horizon: one.episode.horizon, ends: value} : {horizon: one.episode.horizon, ends: value, end_probability: 0.03125};
      });
    }),
    byChoice ? "" : number("end-chance", "… with %, after each step", round(100 * (episode.end_probability ?? 0)), 0, 99, (value) => store.changeWorld((one) => void (one.episode.end_probability = value / 100)), "any"),
    choice("wind", "Wind blows", [["", "not at all"], ["up", "up"], ["down", "down"], ["left", "to the left"], ["right", "to the right"]], world.wind?.direction ?? "", (value) => {
      store.changeWorld((one) => {
        if (value) one.wind = {direction: value, probability: one.wind?.probability || 0.05};
        else delete one.wind;
      });
    }),
    world.wind ? number("wind-chance", "… with %", round(100 * world.wind.probability), 0, 100, (value) => store.changeWorld((one) => void (one.wind && (one.wind.probability = value / 100))), "any") : "",
    world.slippery?.some((one) => one.cells) ? number("slip-chance", "Slippery cells slip with %", round(100 * slip), 0, 100, (value) => store.changeWorld((one) => {
      for (const each of one.slippery ?? []) if (each.cells) each.probability = value / 100;
    }), "any") : "",
    check("merge", "read a letter once while it lasts", Boolean(store.problem.task?.merge_repeats), (value) => {
      store.change((problem) => void (problem.task = {...problem.task, merge_repeats: value}));
    }));
  if (focused && place.querySelector(`#${CSS.escape(focused)}`)) $(focused).focus();
}

/** @param {number} value */
const round = (value) => Math.round(1000 * value) / 1000;

/** Grow or shrink a map; what does not fit any more is told. @param {Store} store @param {number} columns @param {number} count */
function resize(store, columns, count) {
  store.changeWorld((world) => {
    const rows = rowsOf(world);
    world.map = Array.from({length: count}, (_, r) => Array.from({length: columns}, (_, c) => rows[r]?.[c] ?? ".").join("")).join("\n");
    /** @param {[number, number]} cell */
    const inside = ([column, row]) => column <= columns && row <= count;
    if (world.start && !inside(world.start)) world.start = [1, 1];
    if (world.starts) world.starts = world.starts.filter((one) => inside(one.cell));
    if (!startsOf(world).length) world.start = [1, 1];
    world.terminal = world.terminal?.filter(inside);
    for (const one of world.slippery ?? []) one.cells = one.cells?.filter(inside);
    const before = world.demonstrations.length;
    world.demonstrations = world.demonstrations.filter((run) => run.path.every((cell) => typeof cell === "string" || inside(cell))
      && startsOf(world).some((start) => same(start, run.start ?? startsOf(world)[0])));
    if (world.demonstrations.length < before) say("Runs that left the map were removed. Undo brings them back.");
  });
}

/** @param {string} id @param {string} label @param {string} value @param {(value: string) => void} change */
function field(id, label, value, change) {
  const input = h("input", {id, value, maxlength: 60, onchange: () => change(input.value.trim())});
  return h("label", {}, label, " ", input);
}

/** @param {string} id @param {string} label @param {number} value @param {number} min @param {number} max @param {(value: number) => void} change @param {string} [step] */
function number(id, label, value, min, max, change, step = "1") {
  const input = h("input", {id, type: "number", value, min, max, step, onchange: () => {
    const found = Number(input.value);
    if (!Number.isFinite(found) || found < min || found > max || (step === "1" && !Number.isInteger(found))) {
      warn(`${label}: a number from ${min} to ${max}.`);
      input.value = String(value);
    } else change(found);
  }});
  return h("label", {}, label, " ", input);
}

/** @param {string} id @param {string} label @param {string[][]} options @param {string} value @param {(value: string) => void} change */
function choice(id, label, options, value, change) {
  const select = h("select", {id, onchange: () => change(select.value)}, ...options.map(([one, told]) => h("option", {value: one, selected: one === value}, told)));
  return h("label", {}, label, " ", select);
}

/** @param {string} id @param {string} label @param {boolean} value @param {(value: boolean) => void} change */
function check(id, label, value, change) {
  const input = h("input", {id, type: "checkbox", checked: value, onchange: () => change(input.checked)});
  return h("label", {class: "check"}, input, " ", label);
}
