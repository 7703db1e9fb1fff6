/** The compiled curve means what the plain one means, whatever it is given. */
import { expect, test } from "bun:test";
import { addressOfPrivateKey, type Curve, compiled, plain } from "@cardkeep/chain/curve";
import { recoverSigner } from "@cardkeep/chain/signatures";
import fc from "fast-check";
import { type Hex, numberToHex } from "viem";
import { generatePrivateKey, privateKeyToAddress, publicKeyToAddress } from "viem/accounts";
import { words } from "../chain/arbitraries.ts";

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const parities = fc.constantFrom(0 as const, 1 as const);
const runs = { numRuns: 100 };

/** Where a curve's numbers begin and end: the order, half of it, and the field. */
const edges = [0n, 1n, 2n, order / 2n, order / 2n + 1n, order - 1n, order, order + 1n, 2n ** 256n - 2n ** 32n - 978n];
const toWord = (number: bigint): Hex => numberToHex(number, { size: 32 });
const numbers = fc.oneof(words, fc.constantFrom(...edges.map(toWord)), fc.constant(toWord(2n ** 256n - 1n)));
const keys = numbers.map((text) => toWord((BigInt(text) % (order - 1n)) + 1n));

/** Machines of development and of production have it; others run as the plain curve does. */
const platforms = ["linux-x64", "darwin-arm64"];

function getCompiled(): Curve {
  if (compiled === null) throw new Error("The compiled curve was not loaded");
  return compiled;
}

test.if(platforms.includes(`${process.platform}-${process.arch}`))(
  "the compiled curve is loaded where there is one",
  () => {
    expect(compiled).not.toBeNull();
  },
);

test.if(compiled !== null)("both curves have the same public key for a private key, and refuse what is none", () => {
  fc.assert(
    fc.property(keys, (key) => {
      expect(getCompiled().getPublicKey(key)).toBe(plain.getPublicKey(key));
      expect(addressOfPrivateKey(key)).toBe(privateKeyToAddress(key));
    }),
    runs,
  );
  const [zero, beyond, short] = [toWord(0n), toWord(order), toWord(1n).slice(0, -2) as Hex];
  for (const curve of [getCompiled(), plain])
    for (const key of [zero, beyond, short]) expect(() => curve.getPublicKey(key)).toThrow();
});

test.if(compiled !== null)("both curves make the same signature, and recover the key that made it", async () => {
  await fc.assert(
    fc.asyncProperty(keys, words, async (key, hash) => {
      const signature = await getCompiled().sign(hash, key);
      expect(signature).toEqual(await plain.sign(hash, key));
      const publicKey = await getCompiled().recover(hash, signature);
      expect(publicKey && publicKeyToAddress(publicKey)).toBe(privateKeyToAddress(key));
    }),
    runs,
  );
});

test.if(compiled !== null)("both curves recover the same key, or none, from any numbers", async () => {
  await fc.assert(
    fc.asyncProperty(numbers, numbers, numbers, parities, async (hash, r, s, yParity) => {
      const signature = { r, s, yParity };
      expect(await getCompiled().recover(hash, signature)).toBe(await plain.recover(hash, signature));
    }),
    { numRuns: 300 },
  );
});

test.if(compiled !== null)(
  "both curves recover the same key from a changed signature, also from a high s",
  async () => {
    const changes = fc.constantFrom("none", "high", "parity", "hash", "r");
    await fc.assert(
      fc.asyncProperty(keys, words, changes, async (key, hash, change) => {
        const { r, s, yParity } = await plain.sign(hash, key);
        const other = yParity === 0 ? 1 : 0;
        const signed = {
          r: change === "r" ? toWord(BigInt(r) ^ 1n) : r,
          s: change === "high" ? toWord(order - BigInt(s)) : s,
          yParity: change === "parity" || change === "high" ? other : yParity,
        } as const;
        const asked = change === "hash" ? toWord(BigInt(hash) ^ 1n) : hash;
        const recovered = await getCompiled().recover(asked, signed);
        expect(recovered).toBe(await plain.recover(asked, signed));
        const isSigner = recovered !== null && publicKeyToAddress(recovered) === privateKeyToAddress(key);
        expect(isSigner).toBe(change === "none" || change === "high");
      }),
      runs,
    );
  },
);

test("a signer is recovered from 65 bytes that end in 0, 1, 27 or 28, from 64 compact ones, and from nothing else", async () => {
  const key = generatePrivateKey();
  const [address, hash] = [privateKeyToAddress(key), toWord(7n)];
  const { r, s, yParity } = await plain.sign(hash, key);
  const numbersOf = `${r}${s.slice(2)}` as const;
  for (const shift of [0, 27]) {
    const end = (yParity + shift).toString(16).padStart(2, "0");
    expect(await recoverSigner(hash, `${numbersOf}${end}`)).toBe(address);
    expect(await recoverSigner(hash, `0x${numbersOf.slice(2).toUpperCase()}${end.toUpperCase()}`)).toBe(address);
  }
  for (let end = 0; end < 256; end++) {
    if ([0, 1, 27, 28].includes(end)) continue;
    expect(await recoverSigner(hash, `${numbersOf}${end.toString(16).padStart(2, "0")}`)).toBeNull();
  }
  // EIP-2098: the parity is the highest bit of `s`.
  const withParity = (bit: number) => toWord(BigInt(s) | (BigInt(bit) << 255n)).slice(2);
  expect(await recoverSigner(hash, `${r}${withParity(yParity)}`)).toBe(address);
  expect(await recoverSigner(hash, `${r}${withParity(1 - yParity)}`)).not.toBe(address);
  const wrong: Hex[] = [
    "0x",
    "0x1b",
    `${numbersOf}1b00`,
    `${numbersOf}1`,
    `0x${"zz".repeat(64)}1b`,
    `0x${numbersOf.slice(4)}zz1b`,
    `0x${"00".repeat(64)}1b`,
    `0x${"ff".repeat(64)}1b`,
    `${r}${"00".repeat(32)}1b`,
    `0x${"00".repeat(32)}${s.slice(2)}1c`,
  ];
  for (const signature of wrong) expect([signature, await recoverSigner(hash, signature)]).toEqual([signature, null]);
});
