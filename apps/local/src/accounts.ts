/** The accounts of a local chain, which its node unlocks and funds. Their keys are public knowledge. */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { pbkdf2Sync } from "node:crypto";
import { toHex } from "viem";
import { HDKey, privateKeyToAddress } from "viem/accounts";

export interface LocalAccount {
  address: Address;
  privateKey: Hex;
}

/** The default mnemonic of anvil, Hardhat and similar tools. */
const mnemonic = "test test test test test test test test test test test junk";

/** BIP-39 and BIP-32, with the native hash: viem hashes each account's seed in JavaScript, for half a second in all. */
const branch = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, "mnemonic", 2_048, 64, "sha512")).derive("m/44'/60'/0'/0");

function derive(addressIndex: number): LocalAccount {
  const { privateKey } = branch.deriveChild(addressIndex);
  if (!privateKey) throw new Error("The mnemonic yields no private key");
  const key = toHex(privateKey);
  return { address: privateKeyToAddress(key), privateKey: key };
}

/** The roles of the node's ten accounts; account 8 has none. Never use them on a chain that others can reach. */
export const localAccounts = {
  relayers: [derive(0), derive(1), derive(2), derive(3)],
  operator: derive(4),
  spender: derive(5),
  treasury: derive(6),
  settlement: derive(7),
  /** Without a role; for tests. */
  spare: derive(8),
  /** Mints the tokens and sends native coins. */
  minter: derive(9),
} as const;
