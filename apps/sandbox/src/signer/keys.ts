/** The keys of the sandbox's signers: the development keys of the service, which are public knowledge. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { development } from "@cardkeep/runtime/development";
import { numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAccount, sign } from "viem/accounts";
import { activeFaultsOf } from "../faults/activeFaults.ts";
import type { SandboxRuntime } from "../core/openStore.ts";

export interface HeldKey {
  readonly address: Hex;
  /** 64 bytes, x and y. */
  readonly publicKey: Hex;
  readonly privateKey: Hex;
}

const { RELAYER_PRIVATE_KEYS, OPERATOR_PRIVATE_KEY, SPENDER_PRIVATE_KEY } = development;

/** Keys of the relayers, the operator and the spender. */
export const heldKeys: readonly HeldKey[] = [
  ...RELAYER_PRIVATE_KEYS.split(","),
  OPERATOR_PRIVATE_KEY,
  SPENDER_PRIVATE_KEY,
].map((text) => {
  const privateKey: Hex = `0x${text.slice(2)}`;
  const { address, publicKey } = privateKeyToAccount(privateKey);
  return { address, publicKey: `0x${publicKey.slice(4)}`, privateKey };
});

/** Order of the group of secp256k1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** A signature of a digest, as the faults say that are on. `subject` is the request's, for their option `match`. */
export async function signDigest(
  runtime: SandboxRuntime,
  { privateKey }: HeldKey,
  digest: Hex,
  subject: string,
): Promise<{ r: Hex; s: Hex; v: number }> {
  const faults = activeFaultsOf(runtime);
  const isWrong = faults.hit("signer.wrong", subject) !== null;
  const { r, s, yParity } = await sign({ hash: digest, privateKey: isWrong ? generatePrivateKey() : privateKey });
  const parity = yParity === 0 ? 0 : 1;
  if (!faults.hit("signer.high", subject)) return { r, s, v: 27 + parity };
  return { r, s: numberToHex(order - BigInt(s), { size: 32 }), v: 28 - parity };
}
