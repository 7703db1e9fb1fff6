/**
 * Signatures of another implementation, through our reading of DER and our check: 2,000 by OpenSSL 3.0.19, recorded.
 *
 * The first line of the file is the public key, line `i` after it signs the SHA-256 of the text `i`. They were made by:
 *
 *     openssl ecparam -name secp256k1 -genkey -noout -out key.pem
 *     openssl ec -in key.pem -pubout -outform DER | base64 -w0
 *     for i in $(seq 2000); do printf %s $i | openssl dgst -sha256 -sign key.pem | base64 -w0; echo; done
 */
import { expect, test } from "bun:test";
import { SignedWrongly } from "@cardkeep/chain/errors";
import { addressOfPublicKey, createRemoteSigner } from "@cardkeep/chain/signer";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { parseDerSignature, parseSpki } from "@cardkeep/providers/signers/der";
import { createHash } from "node:crypto";
import { filled } from "../support/filled.ts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const half = order / 2n;
const short = 2n ** 248n;
/** So many are proved; those with short integers are proved besides. */
const provedCount = 1_000;

const text = await Bun.file(new URL("openssl-signatures.txt", import.meta.url)).text();
const [spki = "", ...signatures] = text
  .trim()
  .split("\n")
  .map((line) => Buffer.from(line, "base64"));
const publicKey = parseSpki(Buffer.from(spki));
const digestOf = (i: number): Hex => `0x${createHash("sha256").update(String(i)).digest("hex")}`;
/** A signer whose service answers these bytes. */
const answering = (bytes: Uint8Array) =>
  createRemoteSigner(addressOfPublicKey(publicKey ?? "0x"), {
    getPublicKey: async () => publicKey ?? "0x",
    signDigest: async () => {
      const parsed = parseDerSignature(bytes);
      if (!parsed) throw new Error("The bytes are no signature");
      return parsed;
    },
  });

test("OpenSSL's signatures are read and proved, with high and low s, leading zeros and short integers", async () => {
  const parsed = signatures.map((bytes) => parseDerSignature(bytes));
  expect(parsed).toHaveLength(2_000);
  const highs = parsed.filter((signature) => signature && signature.s > half);
  const shorts = parsed.filter((signature) => signature && (signature.r < short || signature.s < short));
  const leading = signatures.filter((bytes) => bytes[4] === 0);
  expect([highs.length, shorts.length, leading.length > 900]).toEqual([985, 15, true]);
  for (const [place, bytes] of filled(signatures.entries())) {
    const isShort = shorts.includes(parsed[place] ?? null);
    // Each costs a millisecond.
    if (place >= provedCount && !isShort) continue;
    const { r, s } = await answering(bytes).signDigest(digestOf(place + 1));
    const given = parsed[place];
    expect(BigInt(r)).toBe(given?.r ?? 0n);
    expect([given?.s, order - (given?.s ?? 0n)]).toContain(BigInt(s));
    expect(BigInt(s) <= half).toBe(true);
  }
});

test("a signature of OpenSSL for other bytes is wrong, and so is each one with a bit changed", async () => {
  const [first = Buffer.alloc(0)] = signatures;
  const sign = (bytes: Uint8Array, i: number) => answering(bytes).signDigest(digestOf(i));
  expect(sign(first, 2)).rejects.toBeInstanceOf(SignedWrongly);
  for (let place = 0; place < first.length; place++) {
    const changed = Buffer.from(first);
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
    await expect(sign(changed, 1)).rejects.toThrow();
  }
});
