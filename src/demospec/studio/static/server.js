// @ts-check
/** Talking to the server: requests, the page's desk, and the events that it sends. Addresses are relative: they hold the token. */

/** A refusal of the server, with its reason. */
export class Refused extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} address
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(address, body = {}, signal) {
  let reply;
  try {
    reply = await fetch(`api/${address}`, {method: "POST", body: JSON.stringify(body), signal});
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refused("The studio does not answer. Is demospec studio still running?", 0);
  }
  const told = await reply.json().catch(() => ({message: `the server answered with ${reply.status}`}));
  if (!reply.ok) throw new Refused(told.message, reply.status);
  return told;
}

/** The page's desk on the server. Listeners hear events by name; "online" and "offline" tell of the connection. */
export class Desk {
  constructor() {
    /** @type {string} */
    this.name = "";
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {Map<string, ((event: any) => void)[]>} */
    this.listeners = new Map();
    this.search = 0;
    addEventListener("pagehide", () => this.leave());
    addEventListener("pageshow", (event) => event.persisted && this.open());
  }

  /** @param {string} name @param {(event: any) => void} listener */
  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  /** @param {string} name @param {any} [event] */
  tell(name, event) {
    for (const listener of this.listeners.get(name) ?? []) listener(event);
  }

  /** Get a desk, and listen. @returns {Promise<any>} */
  async open() {
    const told = await post("desks");
    this.name = told.desk;
    this.source?.close();
    const source = new EventSource(`api/desks/${this.name}/events`);
    this.source = source;
    source.onopen = () => this.tell("online");
    source.onmessage = (message) => {
      const event = JSON.parse(message.data);
      if (event.search === undefined || event.search === this.search) this.tell(event.event, event);
    };
    source.onerror = () => {
      this.tell("offline");
      if (source.readyState === EventSource.CLOSED && this.source === source) this.reopen();
    };
    return told;
  }

  /** The server does not know this page any more: get another desk, as soon as it answers. */
  async reopen() {
    for (;;) {
      await new Promise((done) => setTimeout(done, 1000));
      try {
        await this.open();
        this.tell("renewed");
        return;
      } catch {
        // it is still away
      }
    }
  }

  leave() {
    if (this.name) navigator.sendBeacon(`api/desks/${this.name}/close`, "{}");
    this.source?.close();
  }

  /** @param {object} document @param {number} seed */
  async learn(document, seed) {
    this.search = -1; // what an older search still says is not heard
    this.search = (await post(`desks/${this.name}/learn`, {document, seed})).search;
  }

  /** @param {"pause" | "go_on" | "stop" | "drop"} what */
  control(what) {
    return post(`desks/${this.name}/${what}`);
  }

  /** @param {string} what @param {object} [told] @returns {Promise<any>} */
  ask(what, told = {}) {
    return post(`desks/${this.name}/ask`, {what, ...told});
  }
}
