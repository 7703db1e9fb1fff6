/** The accounts of a local chain, which its node unlocks and funds. Their keys are known to everyone. */
import type { Address, Hex } from "@cardkeep/contract/primitives";
import { toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

export interface LocalAccount {
  address: Address;
  privateKey: Hex;
}

/** Of the node, and of every tool that starts one like it. */
const mnemonic = "test test test test test test test test test test test junk";

function derive(addressIndex: number): LocalAccount {
  const account = mnemonicToAccount(mnemonic, { addressIndex });
  const { privateKey } = account.getHdKey();
  if (!privateKey) throw new Error("The mnemonic gives no private key");
  return { address: account.address, privateKey: toHex(privateKey) };
}

/** Who is who among the node's ten accounts; 8 is nobody's. Never for a chain that others can reach. */
export const localAccounts = {
  relayers: [derive(0), derive(1), derive(2), derive(3)],
  operator: derive(4),
  spender: derive(5),
  treasury: derive(6),
  settlement: derive(7),
  /** Nobody's; for tests. */
  spare: derive(8),
  /** Mints the tokens, and gives native ones away. */
  minter: derive(9),
} as const;
