/** The user's Safe: its states, its token and the problems that its user sees. */
import { z } from "zod";
import { defineMachine, type StateOf } from "../core/machine.ts";

export const tokenSymbol = z
  .enum(["EURe", "GBPe", "USDCe"])
  .meta({ description: "The token that the Safe holds", examples: ["EURe"] });

/** Whole token units a day, until the user sets another limit. */
export const defaultDailyLimit = 350;

/** The states of a Safe's record. `GET /safe/deploy` answers `not_deployed` to a user without one. */
export const safeMachine = defineMachine({
  name: "Safe",
  initial: "processing",
  states: {
    processing: { means: "Accepted; a worker deploys the account, or in the older way creates its Safe" },
    created: { means: "Older way: the Safe is on chain and waits for its owner's set-up; shown as `not_deployed`" },
    settingUp: { means: "Older way: a worker sends the set-up that its owner signed; shown as `processing`" },
    ok: { means: "The chain shows the whole account; it is in service" },
    failed: { means: "The chain rejected it six times; the user may request another" },
    reset: { means: "Abandoned by its user; the contract stays", isFinal: true },
  },
  transitions: [
    { from: "processing", to: "ok", when: "the account's integrity is read from the chain" },
    { from: "processing", to: "created", when: "the Safe has code" },
    { from: "processing", to: "failed", when: "the chain rejects the sixth attempt" },
    { from: "created", to: "settingUp", when: "`PATCH /account/deploy-safe-modules` with its owner's signature" },
    { from: "settingUp", to: "ok", when: "the signed transaction ran, whichever account sent it" },
    {
      from: "settingUp",
      to: "created",
      when: "the chain rejects the signed transaction, or the Safe ran another one or approved another account before it",
    },
    { from: "created", to: "reset", when: "`DELETE /safe/reset`, or `POST /safe/deploy` for an empty Safe" },
    { from: "ok", to: "reset", when: "`DELETE /safe/reset` of an account whose set-up has changed" },
    { from: "failed", to: "reset", when: "`DELETE /safe/reset`" },
  ],
  undone: [
    { from: "ok", to: "processing", when: "the block of its deployment was removed" },
    { from: "created", to: "processing", when: "the block of its creation was removed" },
    { from: "settingUp", to: "processing", when: "the block of its creation was removed" },
    { from: "ok", to: "settingUp", when: "older way: the block of its set-up was removed" },
  ],
});
export type SafeStatus = StateOf<typeof safeMachine>;

export const accountNotice = z.object({
  code: z
    .enum(["account_changed", "account_owes"])
    .meta({ description: "Stable code of the problem", examples: ["account_changed"] }),
  message: z.string().meta({
    description: "The problem and the user's next step, in words",
    examples: ["Your account was changed. Your cards decline until its original setup is restored."],
  }),
});
/** A lasting problem of an account. */
export type AccountNotice = z.output<typeof accountNotice>;
