/** For the scripts of pages: counts down what `renderCountdown` made. */
import { formatLeft } from "../pictures/countdown.ts";

const everyMs = 1_000;

/** Each countdown with the time by which it is at zero, in milliseconds since the page was opened. */
const ends = new WeakMap<Element, { left: string; endMs: number }>();

function tick(): void {
  for (const element of document.querySelectorAll("[data-left]")) {
    const left = element.getAttribute("data-left") ?? "0";
    const known = ends.get(element);
    // A page that was read again has given the element a new time.
    const endMs = known?.left === left ? known.endMs : performance.now() + Number(left) * everyMs;
    ends.set(element, { left, endMs });
    const text = formatLeft((endMs - performance.now()) / everyMs);
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Counts every countdown of the page down, once a second. */
export const tickCountdowns = (): void => void setInterval(tick, everyMs);
