/** A merchant's terminal that plays one step after another on a card, and keeps what became of each. */
import { z } from "zod";
import { type SandboxRoute, SandboxError } from "../core/route.ts";
import type { SandboxRuntime } from "../core/openStore.ts";
import { clear, clearOffline, expire, increment, refund, reverse } from "./terminalRoutes.ts";
import { useCard } from "./useCard.ts";

/** One step, in the words of the terminal. */
export interface PlayedStep {
  step: string;
  threadId: string;
  amount: number;
}

const decided = z.object({ approved: z.boolean(), reason: z.string(), threadId: z.string(), amount: z.number() });
const done = z.object({ threadId: z.string(), amount: z.number() });

const triesMax = 20;
const triesEveryMs = 100;

type Fields = Readonly<Record<string, unknown>>;

export class ScriptTerminal {
  readonly steps: PlayedStep[] = [];
  readonly #held = new Map<string, number>();
  readonly #runtime: SandboxRuntime;
  readonly #cardToken: string;

  constructor(runtime: SandboxRuntime, cardToken: string) {
    this.#runtime = runtime;
    this.#cardToken = cardToken;
  }

  /** Uses the card and returns the thread. @throws SandboxError where it is declined */
  use(amount: number, fields: Fields): Promise<string> {
    return this.#ask("use", useCard, { cardToken: this.#cardToken, amount, ...fields });
  }

  /** Raises an authorization. @throws SandboxError where that is declined */
  async increment(threadId: string, amount: number): Promise<void> {
    await this.#ask("increment", increment, { threadId, amount });
  }

  /** What an authorization holds at the issuer, in cents. */
  heldOf(threadId: string): number {
    return this.#held.get(threadId) ?? 0;
  }

  clear = (threadId: string, fields: Fields = {}): Promise<void> => this.#do("clear", clear, { threadId, ...fields });
  refund = (threadId: string, fields: Fields): Promise<void> => this.#do("refund", refund, { threadId, ...fields });
  reverse = (threadId: string): Promise<void> => this.#do("reverse", reverse, { threadId });
  expire = (threadId: string): Promise<void> => this.#do("expire", expire, { threadId });
  clearOffline = (fields: Fields): Promise<void> =>
    this.#do("clear offline", clearOffline, { cardToken: this.#cardToken, ...fields });

  /** Asks again where the machine was too slow to decide in time. */
  async #ask(step: string, route: SandboxRoute, input: Fields): Promise<string> {
    for (let tries = 1; ; tries++) {
      const { approved, reason, threadId, amount } = decided.parse(await route.run(this.#runtime, input));
      if (approved) {
        this.#held.set(threadId, amount);
        this.steps.push({ step, threadId, amount });
        return threadId;
      }
      if (reason !== "unavailable" || tries === triesMax) {
        throw new SandboxError(422, `The card was declined: ${reason}`);
      }
      await Bun.sleep(triesEveryMs);
    }
  }

  async #do(step: string, route: SandboxRoute, input: Fields): Promise<void> {
    const { threadId, amount } = done.parse(await route.run(this.#runtime, input));
    this.steps.push({ step, threadId, amount });
  }
}
