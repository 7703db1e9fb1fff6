/**
 * The curve secp256k1: every signature that is recovered or made here.
 *
 * - compiled: libsecp256k1, as the package `secp256k1` brings it for some platforms. - plain: JavaScript, for all others.
 *
 * Both make the same signatures (RFC 6979) and recover the same keys. A test compares them.
 */
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { recoverPublicKey } from "viem";
import { privateKeyToAccount, publicKeyToAddress, sign } from "viem/accounts";

/** An ECDSA signature on secp256k1 with the lower of the two valid values of `s`, as EIP-2 requires. */
export interface DigestSignature {
  r: Hex;
  s: Hex;
  yParity: 0 | 1;
}

export interface Curve {
  /** The uncompressed public key, of 65 bytes, whose key made a signature of a 32-byte hash; null if no key made it. */
  recover(hash: Hex, signature: DigestSignature): Promise<Hex | null>;
  sign(hash: Hex, privateKey: Hex): Promise<DigestSignature>;
  /** The uncompressed public key, of 65 bytes, of a private key. @throws Error for a key that is none */
  getPublicKey(privateKey: Hex): Hex;
}

export const plain: Curve = {
  recover: (hash, signature) => recoverPublicKey({ hash, signature }).catch(() => null),
  sign: async (hash, privateKey) => {
    const { r, s, yParity } = await sign({ hash, privateKey });
    return { r, s, yParity: yParity === 0 ? 0 : 1 };
  },
  getPublicKey: (privateKey) => privateKeyToAccount(privateKey).publicKey,
};

/** What is used of the package `secp256k1`. Its functions throw for a signature that no key made, and for a wrong length. */
interface Library {
  ecdsaRecover(signature: Uint8Array, recoveryId: number, hash: Uint8Array, isCompressed: boolean): Uint8Array;
  ecdsaSign(hash: Uint8Array, privateKey: Uint8Array): { signature: Uint8Array; recid: number };
  publicKeyCreate(privateKey: Uint8Array, isCompressed: boolean): Uint8Array;
}

/** The compiled modules of the platforms. A bundle has them beside it, because their paths are literals. */
const addons: Readonly<Record<string, readonly (() => { Secp256k1: new () => object })[]>> = {
  "linux-x64": [
    () => require("secp256k1/prebuilds/linux-x64/secp256k1.glibc.node"),
    () => require("secp256k1/prebuilds/linux-x64/secp256k1.musl.node"),
  ],
  "darwin-arm64": [() => require("secp256k1/prebuilds/darwin-arm64/secp256k1.node")],
};

/** Null where no module can be loaded. */
function loadLibrary(): Library | null {
  for (const load of addons[`${process.platform}-${process.arch}`] ?? []) {
    try {
      const { Secp256k1 } = load();
      const wrap: (addon: object) => Library = require("secp256k1/lib");
      return wrap(new Secp256k1());
    } catch {
      // The module is of the other C library.
    }
  }
  return null;
}

const toBytes = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex");
const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`;

const compile = ({ ecdsaRecover, ecdsaSign, publicKeyCreate }: Library): Curve => ({
  recover: async (hash, { r, s, yParity }) => {
    try {
      return toHex(ecdsaRecover(Buffer.from(r.slice(2) + s.slice(2), "hex"), yParity, toBytes(hash), false));
    } catch {
      // Numbers outside the curve: no key made this signature.
      return null;
    }
  },
  sign: async (hash, privateKey) => {
    const { signature, recid } = ecdsaSign(toBytes(hash), toBytes(privateKey));
    const digits = toHex(signature);
    return { r: `0x${digits.slice(2, 66)}`, s: `0x${digits.slice(66)}`, yParity: recid === 0 ? 0 : 1 };
  },
  getPublicKey: (privateKey) => toHex(publicKeyCreate(toBytes(privateKey), false)),
});

const library = loadLibrary();

/** Null on a platform without a module. */
export const compiled: Curve | null = library && compile(library);

const curve = compiled ?? plain;

/** The address whose key made a signature of a 32-byte hash; null if no key made it. */
export async function recoverAddress(hash: Hex, signature: DigestSignature): Promise<Address | null> {
  const publicKey = await curve.recover(hash, signature);
  return publicKey && publicKeyToAddress(publicKey);
}

/** The signature of a 32-byte hash. @throws Error for a key that is none */
export const signHash = (hash: Hex, privateKey: Hex): Promise<DigestSignature> => curve.sign(hash, privateKey);

/** The address of a private key. @throws Error for a key that is none */
export const addressOfPrivateKey = (privateKey: Hex): Address => publicKeyToAddress(curve.getPublicKey(privateKey));
