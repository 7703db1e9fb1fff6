import { expect, spyOn, test } from "bun:test";
import { parseSignInMessage } from "@cardkeep/chain/siwe";
import fc from "fast-check";

const address = "0xcB444e90D8198415266c6a2724b7900fb12FC56E";

function write(changes: Partial<Record<string, string>> = {}, tail = "") {
  const fields = {
    head: "localhost:3000 wants you to sign in with your Ethereum account:",
    address,
    statement: "Sign in",
    uri: "http://localhost:3000",
    version: "1",
    chainId: "100",
    nonce: "abcdef1234567890",
    issuedAt: "2026-01-02T03:04:05.678Z",
    ...changes,
  };
  return [
    fields.head,
    fields.address,
    "",
    fields.statement,
    "",
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}${tail}`,
  ].join("\n");
}

test("a well-formed message yields its fields", () => {
  const times = "\nExpiration Time: 2026-01-02T04:00:00Z\nNot Before: 2026-01-02T02:00:00Z";
  expect(parseSignInMessage(write({}, times))).toEqual({
    domain: "localhost:3000",
    address,
    statement: "Sign in",
    uri: "http://localhost:3000",
    version: "1",
    chainId: 100,
    nonce: "abcdef1234567890",
    issuedAt: new Date("2026-01-02T03:04:05.678Z"),
    expirationTime: new Date("2026-01-02T04:00:00Z"),
    notBefore: new Date("2026-01-02T02:00:00Z"),
  });
  expect(parseSignInMessage(write())).not.toHaveProperty("expirationTime");
});

test("a text that EIP-4361 does not permit is not a message", () => {
  const wrong = {
    "an address that is not checksummed": write({ address: address.toLowerCase() }),
    "a short nonce": write({ nonce: "abc" }),
    "a nonce that is not alphanumeric": write({ nonce: "abcdef-1234567890" }),
    "an instant in words": write({ issuedAt: "yesterday" }),
    "an instant that no calendar has": write({ issuedAt: "2026-13-45T25:61:61Z" }),
    "an end that no calendar has": write({}, "\nExpiration Time: 2026-13-45T25:61:61Z"),
    "a beginning that no calendar has": write({}, "\nNot Before: 2026-13-45T25:61:61Z"),
    "a uri that is none": write({ uri: "not a uri" }),
    "another version": write({ version: "2" }),
    "a chain id in words": write({ chainId: "gnosis" }),
    "a huge chain id": write({ chainId: "9".repeat(30) }),
    "a line left over": write({}, "\nExtra: 1"),
    "a line break left over": write({}, "\n"),
    "windows line breaks": write().replaceAll("\n", "\r\n"),
    nothing: "",
    "a flood": write({ statement: "a".repeat(100_000) }),
  };
  for (const [what, text] of Object.entries(wrong)) expect([what, parseSignInMessage(text)]).toEqual([what, null]);
});

test("no text makes the parser throw or write to the console", () => {
  const written = [spyOn(console, "error"), spyOn(console, "log"), spyOn(console, "warn")];
  const valid = write();
  const mutated = fc
    .tuple(fc.nat(valid.length), fc.nat(20), fc.string({ unit: "binary" }))
    .map(([at, length, text]) => valid.slice(0, at) + text + valid.slice(at + length));
  fc.assert(
    fc.property(fc.oneof(mutated, fc.string({ unit: "binary" })), (text) => {
      const parsed = parseSignInMessage(text);
      expect(parsed === null || typeof parsed.nonce === "string").toBe(true);
    }),
    { numRuns: 500 },
  );
  for (const spy of written) {
    expect(spy).not.toHaveBeenCalled();
    spy.mockRestore();
  }
});
