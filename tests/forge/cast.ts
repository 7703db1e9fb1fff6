/** Who plays: the keys and addresses of an account's world, how it is set up, and the policy for its entries. */
import type { AccountConfig } from "@cardkeep/chain/accountConfig";
import type { EntryPolicy } from "@cardkeep/chain/entryPolicy";
import type { AccountAddresses } from "@cardkeep/chain/predictAccount";
import { buildApproval, tokens } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { keccak256, slice, toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Cast } from "./vectors.ts";

const key = (name: string): Hex => keccak256(toHex(`forge: ${name}`));

export const keys = {
  operator: key("operator"),
  spender: key("spender"),
  stranger: key("stranger"),
  wallet: key("wallet"),
  owners: [key("owner 1"), key("owner 2"), key("owner 3")],
} as const;

/** The address of the key of a name. */
export const addressOf = (name: string): Address => privateKeyToAddress(key(name));

/** A contract that is an owner from the start, and says of every message that it has not signed it. */
export const refusing = addressOf("refusing signer");

/** The service's largest daily limit. */
export const limitMax = 8_000n * 10n ** 18n;

export const config: AccountConfig = {
  token: tokens.EURe.address,
  dailyLimit: 350n * 10n ** 18n,
  periodSeconds: 86_400,
  allowanceStartsAt: 1_699_920_000,
  cooldownSeconds: 180,
  expirationSeconds: 1_800,
  spender: addressOf("spender"),
  settlement: addressOf("settlement"),
};

/** Everybody whom calls name; `wallet` is the owner that is a Safe. */
export const listCast = (wallet: Address): Cast => ({
  owners: [addressOf("owner 1"), addressOf("owner 2"), addressOf("owner 3"), wallet, refusing],
  payee: addressOf("payee"),
  stranger: addressOf("stranger"),
  hostile: addressOf("hostile token"),
  plain: addressOf("plain token"),
});

/** The service's policy. The operator of this programme allows one call of one contract. */
export function policyOf(account: AccountAddresses, { plain, stranger }: Cast): EntryPolicy {
  const { to, data } = buildApproval({ token: plain, spender: stranger, amount: 1n });
  const allowedCalls = [{ to, selector: slice(data, 0, 4), operation: "CALL" as const }];
  return { account, limitMax, periodSecondsMin: config.periodSeconds, allowedCalls };
}
