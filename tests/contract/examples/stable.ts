/** Replaces values that differ in every run by fixed values of the same form. */
import { createHash } from "node:crypto";
import { getAddress } from "viem";

/** Replaces any access token. */
const tokenPlaceholder = "<access token>";
/**
 * The first instant of every example; each later one is three minutes after the one before, or as far as it was if that were
 * whole minutes: such a span is a rule of the service, which the fields describe.
 */
export const firstInstant = "2026-01-01T10:00:00.000Z";
const instantStepMs = 180_000;
const minuteMs = 60_000;
/** Of every card. */
const lastFourDigits = "4242";
/** Replaces instants in unix seconds: midnight after the first instant. */
const unixSeconds = "1767312000";

const jwt = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const cardToken = /ic_[0-9a-f]{24}/g;
const hex = /0x[0-9a-fA-F]*/g;
const month = /^\d{4}-\d\d$/;
const seconds = /^1[789]\d{8}$/;

const addressLength = 42;
const hashLength = 66;
const signatureLength = 132;
/** Longer calldata, which contains whole contracts, is cut to its first 100 bytes. */
const dataLengthMax = 2_000;
const cutLength = 202;

/** `length` hex digits that depend only on the seed. */
const digits = (seed: string, length: number): string =>
  Array.from({ length: Math.ceil(length / 64) }, (_, index) =>
    createHash("sha256").update(`${seed}/${index}`).digest("hex"),
  )
    .join("")
    .slice(0, length);

function fakeUuid(seed: string): string {
  const text = digits(seed, 32);
  return ["019b7a2c", text.slice(8, 12), `7${text.slice(13, 16)}`, `8${text.slice(17, 20)}`, text.slice(20, 32)].join(
    "-",
  );
}

/** The instants in their order, by what each becomes. */
function spaceInstants(sorted: readonly string[]): ReadonlyMap<string, string> {
  let at = Date.parse(firstInstant);
  return new Map(
    sorted.map((found, index) => {
      const gap = Date.parse(found) - Date.parse(sorted[index - 1] ?? found);
      if (index > 0) at += gap % minuteMs === 0 ? gap : instantStepMs;
      return [found, new Date(at).toISOString()];
    }),
  );
}

const fakeHex = (seed: string, length: number): string =>
  length === addressLength ? getAddress(`0x${digits(seed, 40)}`) : `0x${digits(seed, length - 2)}`;

export interface Stabiliser {
  /** From now on `real` becomes `stable`, anywhere in a text. */
  alias(real: string, stable: string): void;
  /** A copy of `value` for the example `name`. Values of an earlier example become what they became there. */
  stabilise(name: string, value: unknown): unknown;
}

/** `kept` are fixed addresses, in any letter case. */
export function createStabiliser(kept: readonly string[]): Stabiliser {
  const keptAddresses = new Set(kept.map((address) => address.toLowerCase()));
  const aliases = new Map<string, string>();
  // A seed names the example that first showed the value, so that further examples change none of the others.
  const known = new Map<string, string>();
  const addressesWithin = new Map<string, string>();

  const replaceHex = (text: string, seed: () => string): string => {
    const lower = text.toLowerCase();
    if (text.length === addressLength && keptAddresses.has(lower)) return text;
    if (![addressLength, hashLength, signatureLength].includes(text.length)) {
      let data = lower;
      for (const [real, stable] of addressesWithin) data = data.replaceAll(real, stable);
      return data.length > dataLengthMax ? data.slice(0, cutLength) : data;
    }
    const stable = known.get(lower) ?? fakeHex(seed(), text.length);
    known.set(lower, stable);
    if (text.length === addressLength) addressesWithin.set(lower.slice(2), stable.slice(2).toLowerCase());
    return stable;
  };

  const replaceUuid = (text: string, seed: () => string): string => {
    const stable = known.get(text) ?? fakeUuid(seed());
    known.set(text, stable);
    return stable;
  };

  const replaceCardToken = (text: string, seed: () => string): string => {
    const stable = known.get(text) ?? `ic_${digits(seed(), 24)}`;
    known.set(text, stable);
    return stable;
  };

  const stabilise = (name: string, value: unknown): unknown => {
    const instants = spaceInstants([...new Set(JSON.stringify(value)?.match(instant) ?? [])].toSorted());
    let count = 0;
    const seed = () => `${name}/${count++}`;
    const replaceText = (text: string): string => {
      if (seconds.test(text)) return unixSeconds;
      if (month.test(text)) return firstInstant.slice(0, 7);
      let stable = text;
      for (const [real, alias] of aliases) stable = stable.replaceAll(real, alias);
      return stable
        .replaceAll(jwt, tokenPlaceholder)
        .replaceAll(instant, (found) => instants.get(found) ?? found)
        .replaceAll(uuid, (found) => replaceUuid(found, seed))
        .replaceAll(cardToken, (found) => replaceCardToken(found, seed))
        .replaceAll(hex, (found) => replaceHex(found, seed));
    };
    const walk = (node: unknown): unknown => {
      if (typeof node === "string") return replaceText(node);
      if (Array.isArray(node)) return node.map(walk);
      if (typeof node !== "object" || node === null) return node;
      return Object.fromEntries(
        Object.entries(node).map(([key, child]) => [key, key === "lastFourDigits" ? lastFourDigits : walk(child)]),
      );
    };
    return walk(value);
  };

  return { alias: (real, stable) => void aliases.set(real, stable), stabilise };
}
