import type { Address } from "@cardkeep/contract/primitives";
import type { Rules } from "./rules.ts";

/** The service's own keys and accounts on chain; none of them is a user's wallet. */
export const listServiceAddresses = (rules: Rules): Address[] => [
  ...rules.relayerAddresses,
  rules.operatorAddress,
  rules.spenderAddress,
  rules.settlementAddress,
  rules.treasuryAddress,
];
