// @ts-check
/** Searching and watching: start, pause, go on, stop; the leading task while it changes, then the answer. */
import {$, draw, h, percent, say, warn} from "./dom.js";
import {sent} from "./problem.js";
import {Refused} from "./server.js";
import {showAnswer, showDetails} from "./answer.js";

export class Learning {
  /**
   * @param {import("./problem.js").Store} store
   * @param {import("./board.js").Board} board
   * @param {import("./server.js").Desk} desk
   */
  constructor(store, board, desk) {
    this.store = store;
    this.board = board;
    this.desk = desk;
    this.running = false;
    this.paused = false;
    /** @type {any} */
    this.answer = null;
    /** @type {any} */
    this.details = null;
    /** @type {Record<string, {fill: string, ink: string}>} */
    this.colours = {};
    /** @type {Record<string, string>} */
    this.formats = {};
    this.learned = ""; // the problem that the answer is about
    $("learn").addEventListener("click", () => this.start());
    $("pause").addEventListener("click", () => this.pause());
    $("stop").addEventListener("click", () => this.desk.control("stop").catch(() => {}));
    $("again").addEventListener("click", () => {
      $("seed").value = String(Number($("seed").value) + 1);
      this.start();
    });
    desk.on("waiting", (event) => this.tell(event.message));
    desk.on("progress", (event) => this.progress(event));
    desk.on("answer", (event) => this.answered(event));
    desk.on("details", (event) => {
      this.details = event;
      showDetails(this);
    });
    desk.on("done", () => this.over(""));
    desk.on("refused", (event) => this.fail(event.message));
    desk.on("lost", (event) => {
      this.forget();
      this.fail(event.message);
    });
    desk.on("renewed", () => {
      this.forget();
      if (this.running) this.start();
      else warn("The connection was lost, and is back. What you drew is here; learn again to ask more.");
    });
  }

  async start() {
    const problem = sent(this.store.problem);
    const shown = problem.worlds.reduce((sum, world) => sum + world.demonstrations.length, 0);
    if (!shown) return warn("There is no run to learn from. Choose “Show a run”, and walk with the arrow keys.");
    warn("");
    this.running = true;
    this.paused = false;
    this.forget();
    this.board.overlay(null);
    this.learned = JSON.stringify(problem);
    this.buttons();
    this.tell("Searching…");
    $("empty").hidden = true;
    $("answer").hidden = false;
    $("answer").classList.add("searching");
    $("answer").setAttribute("aria-busy", "true");
    try {
      await this.desk.learn(problem, Number($("seed").value) || 0);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return; // the desk is renewed, and searches again
      this.fail(/** @type {Error} */ (error).message);
    }
  }

  /** What is asked of a result needs another one. */
  forget() {
    this.answer = this.details = null;
    $("more").hidden = true;
    $("details").replaceChildren();
    for (const one of $("more").querySelectorAll("details")) {
      one.open = false;
      one.lastElementChild.replaceChildren();
    }
  }

  async pause() {
    this.paused = !this.paused;
    this.buttons();
    this.tell(this.paused ? "Paused." : "Searching…");
    await this.desk.control(this.paused ? "pause" : "go_on").catch(() => {});
  }

  /** @param {any} event */
  progress(event) {
    if (!this.running) return;
    this.tell(`${event.tasks.toLocaleString("en")} tasks tried in ${event.seconds.toFixed(1)} s`);
    if (event.sentence) {
      $("said").replaceChildren(h("p", {class: "leading"}, "Leading so far"), h("p", {class: "sentence"}, event.sentence), h("p", {class: "share"}));
      draw($("automaton"), event.automaton);
    }
    const share = $("said").querySelector(".share");
    if (share && event.probability !== undefined) share.textContent = `${percent(event.probability)} of what was tried`;
    if (event.conjecture && event.conjecture.world === this.store.at) {
      this.board.overlay(event.conjecture.layer);
      $("progress").append(h("span", {class: "conjecture"}, ` · ${event.conjecture.said}`));
    }
  }

  /** @param {any} event */
  answered(event) {
    this.answer = event;
    this.board.overlay(null);
    $("answer").classList.remove("searching");
    showAnswer(this);
  }

  /** @param {string} message */
  fail(message) {
    if (!this.answer) {
      $("answer").hidden = true;
      $("empty").hidden = false;
    }
    this.over("");
    warn(message);
  }

  /** @param {string} message */
  over(message) {
    this.running = this.paused = false;
    this.board.overlay(null);
    $("answer").removeAttribute("aria-busy");
    $("answer").classList.remove("searching");
    this.buttons();
    const {answer} = this;
    this.tell(answer ? `${answer.tasks.toLocaleString("en")} tasks tried in ${answer.seconds.toFixed(1)} s, seed ${answer.seed}` : message);
    if (answer) say(`Learned: ${answer.sentence}`);
  }

  /** The problem changed: the answer is about what was before. */
  changed() {
    const differs = JSON.stringify(sent(this.store.problem)) !== this.learned;
    if (this.running && differs) {
      this.desk.control("drop").catch(() => {});
      this.running = false;
      this.over("The search was stopped: the problem changed.");
      if (!this.answer) $("answer").hidden = true;
    }
    const old = this.answer !== null && differs;
    $("answer").classList.toggle("old", old);
    if (old) this.tell("The problem has changed since. Learn again.");
  }

  buttons() {
    $("learn").disabled = false;
    $("learn").textContent = this.running ? "Start over" : "Learn the task";
    $("pause").disabled = $("stop").disabled = !this.running;
    $("pause").textContent = this.paused ? "Go on" : "Pause";
    $("again").disabled = this.running || !this.answer;
  }

  /** @param {string} text */
  tell(text) {
    $("progress").textContent = text;
  }
}
