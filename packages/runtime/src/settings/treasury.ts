/** Settings of the programme's own money: the keys that move it, and what stays where it is. */
import type { TreasuryPolicy } from "@cardkeep/domain/core/policy";
import { signer } from "./signers.ts";
import { privateKey, type Values, wholeNumber } from "./types.ts";

export const treasuryEnvironment = {
  SETTLEMENT_PRIVATE_KEY: privateKey
    .optional()
    .describe(
      "Key of SETTLEMENT_ADDRESS; the worker alone needs it, or SETTLEMENT_SIGNER. Unset, with SETTLEMENT_SIGNER: no money is " +
        "swept, and you renew the spender's approval yourself. No other program may use this account",
    ),
  SETTLEMENT_SIGNER: signer.optional().describe("Signer that holds this key, instead of SETTLEMENT_PRIVATE_KEY"),
  TREASURY_PRIVATE_KEY: privateKey
    .optional()
    .describe(
      "Key of TREASURY_ADDRESS, which is linked to your profile at the e-money institution; the worker alone needs it, or " +
        "TREASURY_SIGNER. Unset, with TREASURY_SIGNER: nothing is redeemed or contributed. No other program may use this account",
    ),
  TREASURY_SIGNER: signer.optional().describe("Signer that holds this key, instead of TREASURY_PRIVATE_KEY"),
  TREASURY_FLOAT_DAYS: wholeNumber(
    7,
    0,
    "Returns of so many days stay in the settlement account when money is swept, and all provisional credits",
  ),
  SPENDER_APPROVAL_CENTS: wholeNumber(
    500_000,
    1,
    "Cents that the spender may return of each account and token until its approval is renewed: your largest refund and the " +
      "returns of an hour",
  ),
  SPENDER_APPROVALS_PER_DAY: wholeNumber(
    4,
    1,
    "The approval that stands, and those that the worker gives within 24 hours. A stolen spender key takes so many times " +
      "SPENDER_APPROVAL_CENTS of each account and token at most; beyond it two persons approve",
  ),
};

type TreasuryEnvironment = Values<typeof treasuryEnvironment>;

/** The keys of the two accounts, each with the setting of its signer. */
export const treasuryKeySettings = [
  ["SETTLEMENT_PRIVATE_KEY", "SETTLEMENT_SIGNER"],
  ["TREASURY_PRIVATE_KEY", "TREASURY_SIGNER"],
] as const;

export const listTreasuryFaults = (e: TreasuryEnvironment): string[] =>
  treasuryKeySettings
    .filter(([key, held]) => e[key] !== undefined && e[held] !== undefined)
    .map(([key, held]) => `${held}: must not be set beside ${key}`);

/** The keys as the worker takes them. */
export const readTreasuryKeys = (e: TreasuryEnvironment) => ({
  settlementPrivateKey: e.SETTLEMENT_PRIVATE_KEY ?? null,
  settlementSigner: e.SETTLEMENT_SIGNER ?? null,
  treasuryPrivateKey: e.TREASURY_PRIVATE_KEY ?? null,
  treasurySigner: e.TREASURY_SIGNER ?? null,
});

export const readTreasury = (e: TreasuryEnvironment): TreasuryPolicy => ({
  treasuryFloatDays: e.TREASURY_FLOAT_DAYS,
  spenderApprovalCents: BigInt(e.SPENDER_APPROVAL_CENTS),
  spenderApprovalsPerDay: e.SPENDER_APPROVALS_PER_DAY,
});
