import { describe, expect, test } from "bun:test";
import { createSecrets, SecretUnreadable, type SecretsKey } from "@cardkeep/domain/core/secrets/secrets";
import { readSettings } from "@cardkeep/runtime/settings";
import fc from "fast-check";
import { compactDecrypt, decodeProtectedHeader } from "jose";

const newKey = (kid: string, byte: number): SecretsKey => ({ kid, k: Buffer.alloc(32, byte).toString("base64url") });
const [older, newer] = [newKey("2026-01", 1), newKey("2026-02", 2)];

describe("a sealed secret", () => {
  test("is a compact JWE that names its key and its owner, and differs each time", async () => {
    const secrets = createSecrets([newer, older]);
    const sealed = await secrets.seal("ada", "hush");
    expect(decodeProtectedHeader(sealed)).toEqual({ alg: "dir", enc: "A256GCM", kid: "2026-02", owner: "ada" });
    const { plaintext } = await compactDecrypt(sealed, Buffer.alloc(32, 2));
    expect(new TextDecoder().decode(plaintext)).toBe("hush");
    expect(await secrets.seal("ada", "hush")).not.toBe(sealed);
  });

  test("opens with any of the keys, for its owner alone", async () => {
    const sealed = await createSecrets([older]).seal("ada", "hush");
    const rotated = createSecrets([newer, older]);
    expect(await rotated.unseal("ada", sealed)).toBe("hush");
    await expect(rotated.unseal("eve", sealed)).rejects.toThrow("another owner");
    await expect(createSecrets([newer]).unseal("ada", sealed)).rejects.toThrow(
      "sealed with the key 2026-01, which is not in SECRETS_KEYS",
    );
    await expect(createSecrets([{ ...newer, kid: "2026-01" }]).unseal("ada", sealed)).rejects.toThrow(SecretUnreadable);
  });

  test("that was changed anywhere does not open", async () => {
    const secrets = createSecrets([newer]);
    const sealed = await secrets.seal("ada", "hush");
    const change = fc.integer({ min: 0, max: sealed.length - 2 });
    await fc.assert(
      fc.asyncProperty(change, async (at) => {
        const other = sealed[at] === "A" ? "Q" : "A";
        await expect(secrets.unseal("ada", sealed.slice(0, at) + other + sealed.slice(at + 1))).rejects.toThrow(
          SecretUnreadable,
        );
      }),
    );
    for (const text of ["", ".", "....", "short", "x.y.z"])
      await expect(secrets.unseal("ada", text)).rejects.toThrow(SecretUnreadable);
  });

  test("starts with the prefix of its key and of no other key, for any owner", async () => {
    const name = fc.string({ minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(name, name, fc.string(), async (kid, otherKid, owner) => {
        fc.pre(kid !== otherKid);
        const sealed = await createSecrets([newKey(kid, 1)]).seal(owner, "hush");
        expect(sealed).toStartWith(createSecrets([newKey(kid, 1)]).currentPrefix);
        expect(sealed.startsWith(createSecrets([newKey(otherKid, 2)]).currentPrefix)).toBe(false);
      }),
    );
  });
});

describe("SECRETS_KEYS", () => {
  test("is a comma list whose names follow from the keys, or a JWKS", () => {
    const [a, b] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"));
    const listed = readSettings({ SECRETS_KEYS: `${a}, ${b}` }).secretsKeys;
    expect(listed.map(({ k }) => k)).toEqual([older.k, newer.k]);
    expect(readSettings({ SECRETS_KEYS: `${b}` }).secretsKeys).toEqual(listed.slice(1));
    const keys = [newer, older].map((key) => ({ ...key, kty: "oct" }));
    expect(readSettings({ SECRETS_KEYS: JSON.stringify({ keys }) }).secretsKeys).toEqual([newer, older]);
  });
});
