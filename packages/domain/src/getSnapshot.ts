import type { AccountSnapshot } from "@cardkeep/chain/port";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/primitives";
import type { Safe } from "@cardkeep/db/queries/safes";
import type { Services } from "./services.ts";
import { addressesOf } from "./safeAccount.ts";

/** What the chain has of one Safe now, shared with the other requests that show it. @throws ChainUnavailable, CallReverted */
export const getSnapshot = (
  { snapshots, rules }: Pick<Services, "snapshots" | "rules">,
  safe: Safe,
  messageHashes: readonly Hex[] = [],
): Promise<AccountSnapshot> =>
  snapshots.get({
    addresses: addressesOf(safe),
    token: safe.tokenSymbol && tokens[safe.tokenSymbol].address,
    cooldownSeconds: safe.cooldownSeconds,
    spender: rules.spenderAddress,
    messageHashes,
  });
