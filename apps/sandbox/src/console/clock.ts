/** The clock's line above every desk: how far the sandbox is ahead, the chain's time, and buttons that advance both. */
import { formatDuration, formatOffset } from "@cardkeep/contract/core/durations";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderTimeOfDay } from "@cardkeep/html/time";
import type { SandboxRuntime } from "../core/openStore.ts";
import { renderAction } from "./parts.ts";

/** The service's clock and the chain's newest block, read together. */
export interface ClockReading {
  /** Seconds that the service's clock is ahead of the wall clock. */
  readonly offsetSeconds: number;
  /** The service's time: what rows are stamped with. */
  readonly now: Date;
  /** Null while the chain does not answer. */
  readonly block: { readonly number: bigint; readonly timestamp: number } | null;
}

/** A desk does not wait longer for a chain that is away. */
const chainMsMax = 1_000;

/** Reads the clock. A chain that does not answer is no failure of the desk. */
export async function readClock({ db, clock, chain }: SandboxRuntime): Promise<ClockReading> {
  const [offsetSeconds, block] = await Promise.all([
    clock.getOffsetSeconds(db),
    Promise.race([chain.getBlock().catch(() => null), Bun.sleep(chainMsMax).then(() => null)]),
  ]);
  return { offsetSeconds, now: new Date(Date.now() + offsetSeconds * 1000), block };
}

/** One step is a second longer than three minutes, so that a cooldown ends. */
const steps = [
  { text: "1 min", seconds: 60 },
  { text: "3 min", seconds: 181 },
  { text: "1 h", seconds: 3_600 },
  { text: "1 day", seconds: 86_400 },
] as const;

const renderSteps = (): Html =>
  renderAction({
    path: "/chain/advance",
    label: "Advance the clock",
    done: "Advanced.",
    content: markup`<span class="muted">Advance</span>
      ${steps.map(
        ({ text, seconds }) =>
          markup`<button name="seconds" value="${seconds}" data-kind="number" class="plain" aria-label="Advance ${text}">+${text}</button>`,
      )}`,
  });

const renderFreeStep = (): Html =>
  renderAction({
    path: "/chain/advance",
    label: "Advance the clock by a span of your choice",
    done: "Advanced.",
    content: markup`<label class="field"><span>By</span>
        <input name="seconds" data-kind="duration" placeholder="45 s, 2.5 h, 10 days" required autocomplete="off" /></label>
      <button class="plain">Advance</button>`,
  });

const whatMoves = markup`Every time of the service, of its partners and of the chain is this clock's, in UTC. Browsers and wallets do
  not move along: sign-in messages, tokens, cookies and the <code>seconds</code> of faults keep to the wall clock.`;

const renderOffset = ({ offsetSeconds, now }: ClockReading): Html => {
  const title = `${now.toISOString().slice(0, 19).replace("T", " ")} UTC, ${formatDuration(offsetSeconds)} ahead of the wall clock`;
  return markup`<span title="${title}">sandbox <strong>${formatOffset(offsetSeconds)}</strong></span>`;
};

const renderBlock = ({ block }: ClockReading): Html =>
  block === null
    ? markup`<span class="warn">the chain does not answer</span>`
    : markup`<span>chain <strong>${renderTimeOfDay(new Date(block.timestamp * 1000))}</strong></span>
        <span>block ${Number(block.number)}</span>`;

/** The line. An external chain has a time of its own, so there are no buttons with it. */
export const renderClock = ({ settings }: SandboxRuntime, reading: ClockReading): Html =>
  markup`<section id="clock" aria-label="Clock">
    <p>${renderOffset(reading)} ${renderBlock(reading)}</p>
    ${
      settings.localChain
        ? markup`${renderSteps()}
            <details>
              <summary>More</summary>
              <div>
                ${renderFreeStep()}
                <p>${whatMoves}</p>
              </div>
            </details>`
        : markup`<p class="muted">The sandbox cannot move the time of an external chain.</p>`
    }
  </section>`;
