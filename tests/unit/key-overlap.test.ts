/** While a secret is replaced, the older one and the newer one count. What is new is made with the first. */
import { describe, expect, test } from "bun:test";
import { createKey } from "@cardkeep/cli/keys/createKey";
import { nameKey } from "@cardkeep/cli/keys/keyList";
import type { KeyAge } from "@cardkeep/db/queries/core/keys";
import { openEnvelope } from "@cardkeep/domain/cards/cards/openEnvelope";
import { emailCodes, hashCode } from "@cardkeep/domain/core/codes/policy";
import { deriveKeyStates } from "@cardkeep/domain/operations/keys/listKeys";
import { createMonerium } from "@cardkeep/providers/emoney/monerium";
import { createSumsub } from "@cardkeep/providers/kyc/sumsub";
import { createOperatorCheck } from "@cardkeep/runtime/keyCheck";
import { nameSecret } from "@cardkeep/runtime/settingKeys";
import { readSettings, SettingsError } from "@cardkeep/runtime/settings";
import { constants, createCipheriv, createHmac, generateKeyPairSync, type KeyObject, publicEncrypt } from "node:crypto";
import { production } from "../support/production.ts";

const url = "http://127.0.0.1:1";
const seconds = Math.floor(Date.now() / 1000);
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text);

describe("a callback counts with either secret, and with no third one", () => {
  test("of the identity provider", () => {
    const ids = { applicantId: "a", externalUserId: "u", correlationId: "c" };
    const rawBody = JSON.stringify({ type: "applicantReset", ...ids, createdAtMs: "2020-02-21 13:23:19.321" });
    const kyc = createSumsub({
      url,
      appToken: "",
      appSecret: "",
      callbackSecrets: ["newer", "older"],
      levelName: "",
      timeoutMs: 1,
    });
    const accepts = (secret: string) =>
      kyc.parseCallback({
        rawBody,
        headers: { digest: hmac(secret, rawBody).digest("hex"), algorithm: "HMAC_SHA256_HEX" },
      }) !== "forged";
    expect(["newer", "older", "other"].map(accepts)).toEqual([true, true, false]);
  });

  test("of the e-money institution", () => {
    const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
    const input = { url, consentUrl: url, clientId: "", clientSecret: "", chainId: 100, timeoutMs: 1 };
    const emoney = createMonerium({ ...input, callbackSecrets: [secretOf(1), secretOf(2)] });
    const rawBody = "{}";
    const accepts = (byte: number) => {
      const [id, timestamp] = ["m", String(seconds)];
      const signature = `v1,${hmac(Buffer.alloc(32, byte), `${id}.${timestamp}.${rawBody}`).digest("base64")}`;
      return emoney.parseCallback({ rawBody, headers: { id, timestamp, signature } }) !== "forged";
    };
    expect([1, 2, 3].map(accepts)).toEqual([true, true, false]);
  });
});

const newRsaKey = (): KeyObject => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

function encryptFor(key: KeyObject, text: string) {
  const [aesKey, iv] = [Buffer.alloc(32, 7), Buffer.alloc(12, 8)];
  const cipher = createCipheriv("aes-256-gcm", aesKey, iv);
  const data = Buffer.concat([cipher.update(text), cipher.final()]);
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const encryptedKey = publicEncrypt({ key, padding, oaepHash: "sha1" }, Buffer.from(aesKey.toString("base64")));
  return {
    encryptedKey: encryptedKey.toString("base64"),
    encryptedData: Buffer.concat([data, cipher.getAuthTag()]).toString("base64"),
    iv: iv.toString("base64"),
  };
}

test("an envelope for the older public key opens after a newer one was published", () => {
  const [newer, older, other] = [newRsaKey(), newRsaKey(), newRsaKey()];
  const open = (key: KeyObject) => openEnvelope([newer, older], encryptFor(key, "1234"));
  expect([newer, older, other].map(open)).toEqual(["1234", "1234", null]);
});

test("a code that was stored under the older pepper is recognized, a new one is stored under the newer", () => {
  const parties = { subject: "ada", receiver: "ada@example.org" };
  const hash = (...codePeppers: string[]) => {
    const { policy } = readSettings({ CODE_PEPPER: codePeppers.join(",") });
    return hashCode({ policy } as Parameters<typeof hashCode>[0], emailCodes, parties, "123456");
  };
  const [older, newer] = ["the older pepper of two", "the newer pepper of two"];
  expect(hash(newer, older)).toEqual([...hash(newer), ...hash(older)]);
  expect(hash(newer)).not.toEqual(hash(older));
});

test("both keys of the operator count", () => {
  const [older, newer] = ["the operator's older key of two", "the operator's newer key of two"];
  const check = createOperatorCheck([newer, older]);
  const bearer = (key: string) => new Request(url, { headers: { authorization: `Bearer ${key}` } });
  expect([newer, older, "another key", ""].map((key) => check(bearer(key)))).toEqual([true, true, false, false]);
});

test("the whole setting of the operator's key reads the metrics while it is replaced, and its first key counts as used", () => {
  const [older, newer] = ["the operator's older key of two", "the operator's newer key of two"];
  const used: string[] = [];
  const check = createOperatorCheck([newer, older], (key) => used.push(key));
  const bearer = (text: string) => new Request(url, { headers: { authorization: `Bearer ${text}` } });
  const texts = [
    `${newer},${older}`,
    `${older}, ${newer}`,
    `${newer},another key`,
    `another key,${newer}`,
    `${newer},`,
  ];
  expect(texts.map((text) => check(bearer(text)))).toEqual([true, true, false, false, false]);
  expect(used).toEqual([newer, older]);
});

test("each key of a list is checked like a single one", () => {
  const faultsOf = (env: Record<string, string>) => {
    try {
      readSettings({ ...production, ...env });
      return [];
    } catch (error) {
      if (error instanceof SettingsError) return error.message.split("\n").map((fault) => fault.split(/[.:]/)[0]);
      throw error;
    }
  };
  const long = "a secret that is long enough";
  for (const name of [
    "KYC_CALLBACK_SECRET",
    "EMONEY_CALLBACK_SECRET",
    "CARD_ISSUER_CALLBACK_SECRETS",
    "CODE_PEPPER",
    "OPERATOR_API_KEY",
    "CARD_ENCRYPTION_KEY",
  ]) {
    const good = { EMONEY_CALLBACK_SECRET: production.EMONEY_CALLBACK_SECRET.replace("=", "") }[name] ?? long;
    expect(faultsOf({ [name]: `${good}, short` })).toContain(name);
    if (name !== "CARD_ENCRYPTION_KEY") expect(faultsOf({ [name]: `${good},${good}2` })).toEqual([]);
  }
  const pem = () => newRsaKey().export({ format: "pem", type: "pkcs8" }).toString();
  expect(readSettings({ CARD_ENCRYPTION_KEY: `${pem()},${pem()}` }).cardEncryptionKeys).toHaveLength(2);
});

describe("the state of a key", () => {
  const age = (keyId: string, change: Partial<KeyAge> = {}): KeyAge => ({
    setting: "CODE_PEPPER",
    keyId,
    firstSeenAt: new Date(0),
    firstSeenSeconds: 1_000,
    heldSeconds: 5,
    usedSeconds: null,
    lackedSeconds: null,
    ...change,
  });
  const derive = (...ages: KeyAge[]) =>
    deriveKeyStates(ages, new Map()).map(({ keyId, hangs, mayGo, held }) => [keyId, hangs, mayGo, held]);

  test("follows from its last use: what it made counts for a while", () => {
    const newest = age("new", { usedSeconds: 5 });
    expect(derive(age("old", { usedSeconds: 120 }), newest)).toEqual([
      ["old", "codes of it for 10 min more", false, "everywhere"],
      ["new", "makes new codes", false, "everywhere"],
    ]);
    expect(derive(age("old", { usedSeconds: 721 }), newest)[0]).toEqual(["old", null, true, "everywhere"]);
    expect(derive(age("only", { usedSeconds: 9_999 }))).toEqual([["only", "makes new codes", false, "everywhere"]]);
  });

  test("of a partner's secret follows from the last callback of it", () => {
    const setting = "KYC_CALLBACK_SECRET";
    const used = age("old", { setting, usedSeconds: 3_600 });
    expect(derive(used, age("new", { setting }))).toEqual([
      ["old", "callbacks with it 60 min ago; may go after 23 h without", false, "everywhere"],
      ["new", null, true, "everywhere"],
    ]);
    expect(derive(age("only", { setting }))).toEqual([["only", null, false, "everywhere"]]);
  });

  test("says whether a process lacks it", () => {
    expect(derive(age("a", { lackedSeconds: 10 }))[0]?.[3]).toBe("somewhere");
    expect(derive(age("a", { lackedSeconds: 100 }))[0]?.[3]).toBe("everywhere");
    expect(derive(age("a", { firstSeenSeconds: 10 }))[0]?.[3]).toBe("somewhere");
    expect(derive(age("a", { heldSeconds: 100 }))[0]?.[3]).toBe("nowhere");
  });

  test("of a credential that is replaced as a whole is its age alone", () => {
    const setting = "CARD_ISSUER_API_KEY";
    expect(derive(age("a", { setting, usedSeconds: 5 }), age("b", { setting, usedSeconds: 900 }))).toEqual([
      ["a", null, false, "everywhere"],
      ["b", null, false, "everywhere"],
    ]);
  });
});

test("names of keys reveal 32 bits of a hash and are not the same in two settings", () => {
  const secret = "a secret that is long enough";
  expect(nameSecret("CODE_PEPPER", secret)).toMatch(/^[0-9a-f]{8}$/);
  expect(nameSecret("CODE_PEPPER", secret)).not.toBe(nameSecret("OPERATOR_API_KEY", secret));
});

test("a new key's id never begins with a dash, which a command line takes for a flag", () => {
  const ids = (["SECRETS_KEYS", "WEBHOOK_SIGNING_KEYS"] as const).flatMap((setting) =>
    Array.from({ length: 300 }, () => nameKey(setting, createKey(setting))),
  );
  expect(ids.filter((id) => id.startsWith("-"))).toEqual([]);
});
