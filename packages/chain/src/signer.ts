/**
 * Signers: keys of the chain, in this process or at a service outside of it.
 *
 * - digest: the 32-byte hash of a transaction or of typed data. A signer signs nothing else.
 * - remote: the key is at a service that is asked for each signature, such as web3signer or AWS KMS.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { hashMessage, hashTypedData, numberToHex, serializeSignature, type TypedDataDefinition } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { SignedWrongly, SignerFailed } from "./errors.ts";
import { addressOfPrivateKey, type DigestSignature, recoverAddress, signHash } from "./curve.ts";

/** A key whose address is known without the key. */
export interface Signer {
  readonly address: Address;
  /** Whether a signature needs a request. Then no lock and no transaction is held meanwhile. */
  readonly isRemote: boolean;
  /** @throws SignerFailed, SignedWrongly */
  signDigest(digest: Hex): Promise<DigestSignature>;
  /** Resolves where the service holds the key of this address. @throws SignerFailed */
  check(): Promise<void>;
}

/** What a service outside answers for a key. */
export interface SigningService {
  /** A signature of these 32 bytes, with either value of `s`. */
  signDigest(digest: Hex): Promise<{ r: bigint; s: bigint }>;
  /** The key's 64 bytes: x and y of its point. */
  getPublicKey(): Promise<Hex>;
}

/** A key in this process. */
export function createLocalSigner(privateKey: Hex): Signer {
  return {
    address: addressOfPrivateKey(privateKey),
    isRemote: false,
    check: async () => {},
    signDigest: (digest) => signHash(digest, privateKey),
  };
}

/** A key at a service. Each signature is verified before a caller sees it. */
export function createRemoteSigner(address: Address, service: SigningService): Signer {
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      throw new SignerFailed(`The signer of ${address} did not answer or refused`, { cause });
    }
  };
  return {
    address,
    isRemote: true,
    check: async () => {
      const found = addressOfPublicKey(await ask(() => service.getPublicKey()));
      if (found !== address) throw new SignedWrongly(`The signer of ${address} holds the key of ${found}`);
    },
    signDigest: async (digest) => {
      const signature = await normalize(address, digest, await ask(() => service.signDigest(digest)));
      if (signature) return signature;
      throw new SignedWrongly(`The signer of ${address} signed wrongly; nothing was sent`);
    },
  };
}

/** The address of a public key: 64 bytes, x and y. */
export const addressOfPublicKey = (publicKey: Hex): Address => publicKeyToAddress(`0x04${publicKey.slice(2)}`);

/** The signature of EIP-712 data: 65 bytes, with v 27 or 28. @throws SignerFailed, SignedWrongly */
export const signTypedData = async (signer: Pick<Signer, "signDigest">, typed: TypedDataDefinition): Promise<Hex> =>
  serializeSignature(await signer.signDigest(hashTypedData(typed)));

/** The signature of a message as wallets sign it (EIP-191). @throws SignerFailed, SignedWrongly */
export const signMessage = async (signer: Pick<Signer, "signDigest">, message: string): Promise<Hex> =>
  serializeSignature(await signer.signDigest(hashMessage(message)));

/** Order of the group of secp256k1. Source: SEC 2, section 2.4.1. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The signature with the lower `s` and the parity that recovers the address; null if neither parity does. */
async function normalize(
  address: Address,
  digest: Hex,
  { r, s }: { r: bigint; s: bigint },
): Promise<DigestSignature | null> {
  if (r <= 0n || r >= order || s <= 0n || s >= order) return null;
  const lower = s > order / 2n ? order - s : s;
  const parts = { r: numberToHex(r, { size: 32 }), s: numberToHex(lower, { size: 32 }) };
  for (const yParity of [0, 1] as const) {
    const signature = { ...parts, yParity };
    if ((await recoverAddress(digest, signature)) === address) return signature;
  }
  return null;
}
