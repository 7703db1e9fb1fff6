/** Settings of the account that fills relayers and spender up with native tokens. */
import { typedAddress } from "@cardkeep/contract/core/primitives";
import type { TopUpPolicy } from "@cardkeep/domain/core/policy";
import { signer } from "./signers.ts";
import { nativeAmount, privateKey, type Values } from "./types.ts";

export const topUpEnvironment = {
  TOP_UP_PRIVATE_KEY: privateKey
    .optional()
    .describe(
      "Key of an account that fills relayers and spender up with native tokens; the worker alone needs it, or " +
        "TOP_UP_SIGNER. Unset, with TOP_UP_SIGNER: nothing is topped up. No other program may use this account",
    ),
  TOP_UP_SIGNER: signer.optional().describe("Signer that holds this key, instead of TOP_UP_PRIVATE_KEY"),
  TOP_UP_ADDRESS: typedAddress
    .optional()
    .describe("Address of this key, for processes without key and signer, which then report its funds"),
  TOP_UP_BELOW: nativeAmount
    .optional()
    .describe("Whole native tokens, such as 0.5: a relayer or spender that holds less is topped up"),
  TOP_UP_TO: nativeAmount.optional().describe("Whole native tokens that it holds after a top-up"),
  TOP_UP_PER_DAY_MAX: nativeAmount
    .optional()
    .describe("Whole native tokens of all top-ups together within any 24 hours; the gas of the top-ups comes on top"),
};

type TopUpEnvironment = Values<typeof topUpEnvironment>;

const limitNames = ["TOP_UP_BELOW", "TOP_UP_TO", "TOP_UP_PER_DAY_MAX"] as const;

const hasAccount = (e: TopUpEnvironment): boolean =>
  e.TOP_UP_PRIVATE_KEY !== undefined || e.TOP_UP_SIGNER !== undefined || e.TOP_UP_ADDRESS !== undefined;

/** With an account every limit is stated, and one top-up fits into a day. */
export function listTopUpFaults(e: TopUpEnvironment): string[] {
  if (!hasAccount(e)) return [];
  const faults = limitNames
    .filter((name) => e[name] === undefined)
    .map((name) => `${name}: is required with an account that tops up`);
  const { TOP_UP_BELOW: below, TOP_UP_TO: to, TOP_UP_PER_DAY_MAX: perDayMax } = e;
  if (e.TOP_UP_PRIVATE_KEY !== undefined && e.TOP_UP_SIGNER !== undefined)
    faults.push("TOP_UP_SIGNER: must not be set beside TOP_UP_PRIVATE_KEY");
  if (below !== undefined && to !== undefined && to <= below) faults.push("TOP_UP_TO: must be above TOP_UP_BELOW");
  if (to !== undefined && perDayMax !== undefined && perDayMax < to)
    faults.push("TOP_UP_PER_DAY_MAX: must not be below TOP_UP_TO");
  return faults;
}

/** The key as the worker takes it, and its address where this process knows no more. */
export const readTopUpKey = (e: TopUpEnvironment) => ({
  topUpPrivateKey: e.TOP_UP_PRIVATE_KEY ?? null,
  topUpSigner: e.TOP_UP_SIGNER ?? null,
  topUpAddress: e.TOP_UP_ADDRESS ?? null,
});

export function readTopUps(e: TopUpEnvironment): TopUpPolicy {
  const { TOP_UP_BELOW: below, TOP_UP_TO: to, TOP_UP_PER_DAY_MAX: perDayMax } = e;
  const isOff = !hasAccount(e) || below === undefined || to === undefined || perDayMax === undefined;
  return { topUpLimits: isOff ? null : { below, to, perDayMax } };
}
