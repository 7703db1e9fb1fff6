/** Every fault that the sandbox can switch on, and the options of each. */
import { z } from "zod";
import { SandboxError } from "../core/route.ts";

export const partners = ["kyc", "emoney", "issuer", "identity", "mail", "sms", "signer"] as const;
export type Partner = (typeof partners)[number];

export type FaultName =
  | `node.${"down" | "hang" | "slow" | "stale" | "drop"}`
  | "chain.reorg"
  | `${Partner}.${"down" | "error" | "slow" | "hang"}`
  | `signer.${"throttle" | "wrong" | "high"}`
  | `callbacks.${"duplicate" | "reorder" | "shuffle" | "delay" | "forge" | "lose" | "late" | "bare"}`
  | "worker.kill"
  | "postgres.restart";

const daySeconds = 86_400;
const msMax = 60_000;
const describeRange = (kind: string, min: number, max: number): string => `must be ${kind} from ${min} to ${max}`;

function numberFrom(min: number, max: number): z.ZodNumber {
  const error = describeRange("a number", min, max);
  return z.number(error).min(min, error).max(max, error);
}

function wholeFrom(min: number, max: number): z.ZodInt {
  const error = describeRange("a whole number", min, max);
  return z.int(error).min(min, error).max(max, error);
}

/** The options of all faults, with their ranges. */
const optionTypes = {
  rate: numberFrom(0, 1),
  seconds: numberFrom(0.001, daySeconds),
  count: wholeFrom(1, 1_000_000),
  match: z.string("must be a text").min(1, "must not be empty").max(200, "must have at most 200 characters"),
  seed: wholeFrom(0, Number.MAX_SAFE_INTEGER),
  ms: wholeFrom(0, msMax),
  status: wholeFrom(400, 599),
  blocks: wholeFrom(1, 100),
  place: z.enum(["beside", "instead"], "must be `beside` or `instead`"),
};
export type OptionName = keyof typeof optionTypes;

/** Options as a caller sends them. */
export const faultOptions = z.object(optionTypes).exactPartial();
type Given = z.output<typeof faultOptions>;

/** Options of a fault that is on; what it does not take has a value without meaning. */
export type FaultOptions = Given & Required<Pick<Given, "rate" | "seed" | "ms" | "status" | "blocks" | "place">>;

const generalDefaults = { rate: 1, seed: 1, ms: 0, status: 500, blocks: 1, place: "beside" } as const;

export interface FaultKind {
  /** One sentence, with `code` between backticks. */
  readonly summary: string;
  readonly takes: readonly OptionName[];
  /** Happens at the request that switches it on, and stays off then. */
  readonly isOnce?: true;
  readonly defaults?: Given;
}

/** The options of a fault that hits requests. */
const ofRequests = ["rate", "seconds", "count", "match", "seed"] as const;

const slow: FaultKind = {
  summary: "Answers after `ms`.",
  takes: [...ofRequests, "ms"],
  defaults: { ms: 1_000 },
};
const hang: FaultKind = { summary: "Does not answer until the fault is off, or for 25 s.", takes: ofRequests };

const nodeKinds: Readonly<Record<string, FaultKind>> = {
  "node.down": { summary: "The node answers 503.", takes: ofRequests },
  "node.hang": hang,
  "node.slow": slow,
  "node.stale": {
    summary: "The node answers as it did `blocks` blocks ago.",
    takes: [...ofRequests, "blocks"],
    defaults: { blocks: 5 },
  },
  "node.drop": {
    summary: "The node accepts a transaction, answers its hash, and forgets it.",
    takes: ofRequests,
  },
  "chain.reorg": {
    summary: "Replaces the newest `blocks` by empty ones, once.",
    takes: ["blocks", "count"],
    isOnce: true,
  },
};

const partnerKinds = Object.fromEntries(
  partners.flatMap((partner): [string, FaultKind][] => [
    [`${partner}.down`, { summary: "The partner answers 503 with a page of a gateway.", takes: ofRequests }],
    [
      `${partner}.error`,
      { summary: "The partner answers `status` in its own form of errors.", takes: [...ofRequests, "status"] },
    ],
    [`${partner}.slow`, slow],
    [`${partner}.hang`, hang],
  ]),
);

const signerKinds: Readonly<Record<string, FaultKind>> = {
  "signer.throttle": { summary: "The signer answers that there are too many requests.", takes: ofRequests },
  "signer.wrong": { summary: "The signer signs with another key.", takes: ofRequests },
  "signer.high": { summary: "The signer answers the higher of the two valid values of `s`.", takes: ofRequests },
};

const callbackKinds: Readonly<Record<string, FaultKind>> = {
  "callbacks.duplicate": {
    summary: "A callback arrives twice, `ms` apart; with 0 side by side.",
    takes: [...ofRequests, "ms"],
  },
  "callbacks.reorder": {
    summary: "A callback arrives after the partner's next one, or after `ms` if none follows.",
    takes: [...ofRequests, "ms"],
    defaults: { ms: 5_000 },
  },
  "callbacks.shuffle": {
    summary:
      "A callback arrives after a random time up to `ms`, so that callbacks overtake each other and their call's answer.",
    takes: [...ofRequests, "ms"],
    defaults: { ms: 1_000 },
  },
  "callbacks.delay": {
    summary: "A callback arrives after `ms`.",
    takes: [...ofRequests, "ms"],
    defaults: { ms: 1_000 },
  },
  "callbacks.forge": {
    summary: "A callback with a wrong signature arrives `beside` the real one, before it, or `instead` of it.",
    takes: [...ofRequests, "place"],
  },
  "callbacks.lose": { summary: "A callback does not arrive.", takes: ofRequests },
  "callbacks.late": {
    summary: "The service's answer to a request for an authorization arrives too late to count.",
    takes: ofRequests,
  },
  "callbacks.bare": {
    summary: "The answer to a request for an authorization arrives with `status` and without the issuer's version.",
    takes: [...ofRequests, "status"],
  },
};

const processKinds: Readonly<Record<string, FaultKind>> = {
  "worker.kill": {
    summary: "Kills the worker by SIGKILL, once. `bun start` starts it again.",
    takes: ["count"],
    isOnce: true,
  },
  "postgres.restart": { summary: "Restarts the Postgres of `bun start`, once.", takes: ["count"], isOnce: true },
};

export interface FaultGroup {
  readonly title: string;
  readonly kinds: Readonly<Record<string, FaultKind>>;
}

/** All faults, by what they hit. */
export const faultGroups: readonly FaultGroup[] = [
  { title: "Node and chain", kinds: nodeKinds },
  { title: "Partners", kinds: partnerKinds },
  { title: "Signers", kinds: signerKinds },
  { title: "Callbacks of partners", kinds: callbackKinds },
  { title: "Processes", kinds: processKinds },
];

const kinds: Readonly<Record<string, FaultKind>> = Object.assign({}, ...faultGroups.map((group) => group.kinds));
export const faultNames = Object.keys(kinds) as FaultName[];

export const kindOf = (name: FaultName): FaultKind => kinds[name] ?? { summary: "", takes: [] };

/**
 * The fault with this name.
 * @throws SandboxError 422 for an unknown one
 */
export function parseFaultName(name: string): FaultName {
  const known = faultNames.find((each) => each === name);
  if (known !== undefined) return known;
  const [prefix = ""] = name.split(".");
  const near = faultNames.filter((each) => each.startsWith(`${prefix}.`));
  const prefixes = new Set(faultNames.map((each) => each.split(".", 1).join("")));
  const hint = near.length > 0 ? `there are ${list(near)}` : `names begin with ${list([...prefixes])}`;
  throw new SandboxError(422, `There is no fault "${name.slice(0, 50)}"; ${hint}`);
}

/**
 * The options of a fault, with its defaults.
 * @throws SandboxError 422 for an option that the fault does not take; ZodError for a value out of range
 */
export function parseFaultOptions(name: FaultName, given: Readonly<Record<string, unknown>>): FaultOptions {
  const { takes, defaults, isOnce } = kindOf(name);
  const foreign = Object.keys(given).find((option) => !takes.some((each) => each === option));
  if (foreign !== undefined) {
    throw new SandboxError(422, `${name} does not take "${foreign.slice(0, 50)}"; it takes ${list(takes)}`);
  }
  const options = faultOptions.parse(given);
  if (isOnce && (options.count ?? 1) > 1) throw new SandboxError(422, `count: must be 1, for ${name} happens once`);
  return { ...generalDefaults, ...defaults, ...options };
}

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
