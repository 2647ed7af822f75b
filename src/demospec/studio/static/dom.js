// @ts-check
/** Small helpers for elements: make one, find one, fill one, say something, offer a file. */

/**
 * Make an element. Attributes that are functions listen: `onclick`.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | undefined)} children
 * @returns {any}
 */
export function h(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined).map((child) => child ?? ""));
  return made;
}

/** @param {string} id @returns {any} */
export function $(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`there is no element ${id}`);
  return found;
}

/**
 * Put children into an element, in the place of what was there; null is nothing.
 * @param {Element} place
 * @param {...(Node | string | null | undefined)} children
 */
export function fill(place, ...children) {
  place.replaceChildren(...children.filter((child) => child !== null && child !== undefined && child !== "").map((child) => child ?? ""));
}

/**
 * Put a picture that Python drew into an element, in the place of what was there.
 * @param {Element} place
 * @param {string} svg
 */
export function draw(place, svg) {
  place.innerHTML = svg; // markup of our own server, in which all text is escaped
}

/** @param {string} text */
export function say(text) {
  $("status").textContent = text;
}

/** Show what went wrong, until something else is shown. @param {string} text */
export function warn(text) {
  const place = $("alert");
  place.hidden = !text;
  if (text) place.replaceChildren(h("span", {}, text), h("button", {type: "button", onclick: () => warn("")}, "Close"));
}

/** @param {number} share @returns {string} */
export function percent(share) {
  const whole = Math.round(100 * share);
  return share > 0.99 && share < 1 ? "over 99 %" : share > 0 && share < 0.01 ? "under 1 %" : `${whole} %`;
}

/**
 * Offer text or bytes as a file.
 * @param {string} name
 * @param {BlobPart} content
 * @param {string} [type]
 */
export function download(name, content, type = "text/plain") {
  const address = URL.createObjectURL(new Blob([content], {type}));
  const link = h("a", {href: address, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
