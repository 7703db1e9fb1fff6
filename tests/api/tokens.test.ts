import { beforeAll, describe, expect, test } from "bun:test";
import { createRuntime } from "@cardkeep/runtime/compose";
import { development } from "@cardkeep/runtime/development";
import { readSettings } from "@cardkeep/runtime/settings";
import { createServer } from "@cardkeep/server/server";
import { createHmac } from "node:crypto";
import { decodeProtectedHeader, exportJWK, generateKeyPair, importJWK, SignJWT } from "jose";
import { Person } from "../support/person.ts";
import type { RunningService } from "../support/service.ts";
import { shareService } from "../support/shareService.ts";

let service: RunningService;
let person: Person;
beforeAll(async () => {
  service = await shareService({ worker: false });
  person = await (await new Person(service).signIn()).signUp();
});

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
  test("the forge of this test makes valid tokens, so that the refusals below mean something", async () => {
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
      const head = encode({ ...header, alg });
      const key = JSON.stringify(service.runtime.services.accessTokens.publicKeys.keys[0]);
      return `${head}.${body}.${createHmac(hash, key).update(`${head}.${body}`).digest("base64url")}`;
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

  test("keys are rotated without ending a token: published, then signing, then alone", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const next = { ...(await exportJWK(privateKey)), kid: "next" };
    const stages = [[developmentKey], [developmentKey, next], [next, developmentKey], [next]];
    const [before, announced, signing, alone] = await Promise.all(
      stages.map(async (keys) => {
        const env = { ...service.env, ACCESS_TOKEN_KEYS: JSON.stringify({ keys }) };
        const runtime = await createRuntime(readSettings(env), "server");
        return { server: createServer(runtime), runtime };
      }),
    );
    if (!before || !announced || !signing || !alone) throw new Error("a stage is missing");
    const request = (path: string, init: RequestInit = {}) => new Request(`http://localhost${path}`, init);
    const signInAt = async ({ server }: typeof before): Promise<string> => {
      const nonce = await (await server.handle(request("/api/v1/auth/nonce"))).text();
      const body = JSON.stringify(await person.signMessage({ nonce }));
      return (await (await server.handle(request("/api/v1/auth/challenge", { method: "POST", body }))).json()).token;
    };
    const statusAt = async ({ server }: typeof before, token: string): Promise<number> =>
      (await server.handle(request("/api/v1/user", { headers: { Authorization: `Bearer ${token}` } }))).status;
    const [old, fresh] = [await signInAt(before), await signInAt(signing)];
    expect(decodeProtectedHeader(fresh).kid).toBe("next");
    expect(await statusAt(announced, old)).toBe(200);
    expect(await statusAt(announced, fresh)).toBe(200);
    expect(await statusAt(signing, old)).toBe(200);
    expect(await statusAt(alone, fresh)).toBe(200);
    expect(await statusAt(alone, old)).toBe(401);
    const kids = async ({ server }: typeof before) =>
      (await (await server.handle(request("/.well-known/jwks.json"))).json()).keys.map(
        (key: { kid: string }) => key.kid,
      );
    expect(await kids(announced)).toEqual(["development", "next"]);
    expect(await kids(alone)).toEqual(["next"]);
    for (const { runtime } of [before, announced, signing, alone]) await runtime.close();
  });
});
