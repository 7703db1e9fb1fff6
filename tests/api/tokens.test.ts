import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { development } from "@cardkeep/runtime/development";
import { createHmac } from "node:crypto";
import { importJWK, SignJWT } from "jose";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";

let service: Service;
let person: Person;
beforeAll(async () => {
  service = await startService({ worker: false });
  person = await (await new Person(service).signIn()).signUp();
});
afterAll(() => service.stop());

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = () => Math.floor(Date.now() / 1000);
const [developmentKey] = JSON.parse(development.ACCESS_TOKEN_KEYS).keys;
const claims = () => ({
  userId: person.userId,
  signerAddress: person.account.address,
  chainId: "100",
  hasSignedUp: true,
  iss: "cardkeep",
  aud: "cardkeep:api",
  iat: now(),
  exp: now() + 600,
});
const header = { alg: "ES256", kid: "development", typ: "at+jwt" };
const sign = async (protectedHeader: object, payload: object) =>
  new SignJWT(payload as never)
    .setProtectedHeader({ ...header, ...protectedHeader })
    .sign(await importJWK(developmentKey, "ES256"));

const statusWith = async (token: string): Promise<number> => {
  const holder = new Person(service);
  holder.token = token;
  return (await holder.call("GET", "/user")).status;
};

describe("access tokens", () => {
  test("the forge of this test makes good tokens, so that the refusals below mean something", async () => {
    expect(await statusWith(await sign({}, claims()))).toBe(200);
  });

  test("an expired, foreign-audience, foreign-issuer or mistyped token is 401", async () => {
    expect(await statusWith(await sign({}, { ...claims(), exp: now() - 61 }))).toBe(401);
    expect(await statusWith(await sign({}, { ...claims(), aud: "elsewhere" }))).toBe(401);
    expect(await statusWith(await sign({}, { ...claims(), iss: "elsewhere" }))).toBe(401);
    expect(await statusWith(await sign({ typ: "JWT" }, claims()))).toBe(401);
    const { exp: _, ...endless } = claims();
    expect(await statusWith(await sign({}, endless))).toBe(401);
  });

  test("alg none, HMAC with the public key, empty signature, path as kid and embedded key are 401", async () => {
    const body = encode(claims());
    const hmac = (alg: string, hash: string) => {
      const input = `${encode({ ...header, alg })}.${body}`;
      return `${input}.${createHmac(hash, JSON.stringify(service.runtime.services.accessTokens.publicKeys.keys[0])).update(input).digest("base64url")}`;
    };
    const good = await sign({}, claims());
    const forged = [
      `${encode({ ...header, alg: "none" })}.${body}.`,
      `${encode({ ...header, alg: "None" })}.${body}.AAAA`,
      hmac("HS256", "sha256"),
      hmac("HS512", "sha512"),
      `${good.split(".").slice(0, 2).join(".")}.`,
      await sign({ kid: "../../dev/null" }, claims()),
      `${encode({ ...header, jwk: developmentKey })}.${body}.${good.split(".")[2]}`,
    ];
    for (const token of forged) expect(await statusWith(token)).toBe(401);
  });

  test("the public keys are published without their private half", async () => {
    const response = await fetch(`${service.url}/.well-known/jwks.json`);
    const { keys } = await response.json();
    expect(keys).toEqual([
      expect.objectContaining({ kid: "development", kty: "EC", crv: "P-256", alg: "ES256", use: "sig" }),
    ]);
    expect(keys[0]).not.toHaveProperty("d");
  });
});
