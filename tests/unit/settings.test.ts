import { describe, expect, test } from "bun:test";
import { development } from "@cardkeep/runtime/development";
import { buildEnvExample } from "@cardkeep/runtime/envExample";
import { readRemoteAccess } from "@cardkeep/runtime/local";
import { readSettings } from "@cardkeep/runtime/settings";
import { buildKeyAddresses } from "@cardkeep/runtime/keyAddresses";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { generateKeyPairSync } from "node:crypto";
import { privateKeyToAddress } from "viem/accounts";
import { production } from "../support/production.ts";
import { listSettingsFaults } from "../support/settings.ts";

test("an empty XDG_CONFIG_HOME counts as not set", () => {
  expect(readRemoteAccess({ XDG_CONFIG_HOME: "" }).configFolder).toBe(readRemoteAccess({}).configFolder);
});

describe("settings", () => {
  test("need no value on a local machine", () => {
    expect(readSettings({})).toMatchObject({
      port: 3000,
      production: false,
      policy: { chainId: 100, cooldownSeconds: 180 },
    });
  });

  test("give a decision about a card another time limit, in no production", () => {
    expect(readSettings({}).policy.decisionMsMax).toBe(450);
    expect(readSettings({ DECISION_MS: "2000" }).policy.decisionMsMax).toBe(2_000);
    for (const wrong of ["449", "8001", "1.5", "fast"])
      expect(listSettingsFaults({ DECISION_MS: wrong }).join()).toStartWith("DECISION_MS: ");
    expect(listSettingsFaults({ ...production, DECISION_MS: "450" })).toEqual([
      "DECISION_MS: is refused in production, where the issuer's own limit counts",
    ]);
  });

  test("give a node's answer another time, from a tenth of a second to what a worker waits", () => {
    expect(readSettings({}).rpcTimeoutMs).toBe(800);
    expect(readSettings({ RPC_TIMEOUT_MS: "5000" }).rpcTimeoutMs).toBe(5_000);
    for (const wrong of ["99", "5001", "0.5", "slow"])
      expect(listSettingsFaults({ RPC_TIMEOUT_MS: wrong }).join()).toStartWith("RPC_TIMEOUT_MS: ");
  });

  test("take a secret of the e-money institution's callbacks as it does: of 24 to 64 bytes", () => {
    const faultsOf = (bytes: number) =>
      listSettingsFaults({ EMONEY_CALLBACK_SECRET: `whsec_${Buffer.alloc(bytes, 9).toString("base64")}` });
    expect([24, 64].map(faultsOf)).toEqual([[], []]);
    const fault = "EMONEY_CALLBACK_SECRET: must be whsec_ and 24 to 64 bytes in base64";
    expect([23, 65].map(faultsOf)).toEqual([[fault], [fault]]);
  });

  test("an empty value counts as missing", () => {
    expect(readSettings({ PORT: "", DATABASE_URL: "" })).toMatchObject({ port: 3000, databaseUrl: undefined });
  });

  test("name every fault at once", () => {
    const faults = listSettingsFaults({ PORT: "port", RELAYER_PRIVATE_KEYS: "0x12", DATABASE_URL: "nowhere" });
    expect(faults.map((fault) => fault.split(/[:.]/)[0])).toEqual(["PORT", "DATABASE_URL", "RELAYER_PRIVATE_KEYS"]);
  });

  test("accept a database on several nodes, with IPv6 and TLS, and refuse every other address with the reason", () => {
    const faultOf = (url: string) =>
      listSettingsFaults({ DATABASE_URL: url, ALLOW_DEVELOPMENT_KEYS: "true" }).join("\n");
    for (const url of [
      "postgres://u:p%40ss@a.example:5432,b.example:5433/db?target_session_attrs=read-write",
      "postgresql://u@[::1]:5432,10.0.0.1/db?sslmode=require",
      "postgres://localhost",
    ])
      expect(faultOf(url)).toBe("");
    for (const [url, reason] of [
      ["mysql://a/db", "must be postgres://user:password@host:port/database"],
      ["postgres://u:hu?sh@a/db", "has a host that cannot be read; must be"],
      ["postgres://u:hush@a#/db", "must be postgres://"],
      ["postgres://u:hush@/db", "has a host that cannot be read; must be"],
      ["postgres://u:hush@a,,b/db", "has a host that cannot be read; must be"],
      ["postgres://u:hush@a:0/db", "has a port out of range: 0"],
      ["postgres://u:hush%@a/db", "has a % in its password that is no escape"],
      ["postgres://u:hush@a/db?statement_timeout=5", "has an unknown parameter statement_timeout: use sslmode,"],
      ["postgres://u:hush@a/db?sslmode=prefer", "has sslmode=prefer: use disable, require, verify-ca, verify-full"],
    ] as const) {
      expect(faultOf(url)).toStartWith(`DATABASE_URL: ${reason}`);
      expect(faultOf(url)).not.toContain("hu");
    }
    expect(listSettingsFaults({ DATABASE_SESSION_URL: "postgres://a/db" })).toEqual([
      "DATABASE_SESSION_URL: needs DATABASE_URL, the address of everything else",
    ]);
  });

  test("refuse a treasury that is the settlement account", () => {
    const { SETTLEMENT_ADDRESS } = development;
    expect(listSettingsFaults({ TREASURY_ADDRESS: SETTLEMENT_ADDRESS.toLowerCase() })).toEqual([
      "TREASURY_ADDRESS: must not be SETTLEMENT_ADDRESS, or a card payment would pay a card order",
    ]);
  });

  test("a server drains for eight seconds in production, and not at all elsewhere, unless they say otherwise", () => {
    expect(readSettings({}).drainSeconds).toBe(0);
    expect(readSettings(production).drainSeconds).toBe(8);
    expect(readSettings({ ...production, DRAIN_SECONDS: "0" }).drainSeconds).toBe(0);
    expect(() => readSettings({ DRAIN_SECONDS: "301" })).toThrow("DRAIN_SECONDS: ");
  });

  test("give groups their roles, and refuse an unknown role and a provider without roles", () => {
    const rolesOf = (OPERATOR_ROLES: string) => readSettings({ OPERATOR_ROLES }).policy.operators.roles;
    expect(rolesOf("a=viewer, b=finance,a=support,cn=ops=admin")).toEqual(
      new Map([
        ["a", ["viewer", "support"]],
        ["b", ["finance"]],
        ["cn=ops", ["admin"]],
      ]),
    );
    for (const wrong of ["a", "a=", "=viewer", "a=root", "a=viewer,"])
      expect(listSettingsFaults({ OPERATOR_ROLES: wrong })[0]).toStartWith("OPERATOR_ROLES: must be a comma list");
    expect(readSettings({}).openid).toMatchObject({ issuer: "http://127.0.0.1:3001/identity", clientSecret: null });
    expect(readSettings(production).openid).toBeNull();
    const OIDC_ISSUER = "https://id.example.org";
    expect(listSettingsFaults({ OIDC_ISSUER })).toEqual([
      "OPERATOR_ROLES: is required with OIDC_ISSUER; it gives groups their roles",
    ]);
    const plain = { ...production, OIDC_ISSUER: "http://id.example.org", OPERATOR_ROLES: "a=viewer" };
    expect(listSettingsFaults(plain)).toEqual(["OIDC_ISSUER: must be https in production"]);
    expect(listSettingsFaults({ OIDC_SCOPES: "profile" })).toEqual(["OIDC_SCOPES: must contain openid"]);
  });

  test("know three words for the environment, and refuse every other spelling", () => {
    for (const word of ["Production", "PRODUCTION", "staging", "prod", " production"])
      expect(listSettingsFaults({ NODE_ENV: word })).toEqual([
        'NODE_ENV: must be "development", "test" or "production"',
      ]);
    expect(readSettings({ NODE_ENV: "test" }).production).toBe(false);
  });

  test("refuse development keys beside an address of another machine, unless they are allowed", () => {
    const refusal = (name: string) =>
      expect.stringMatching(new RegExp(`^${name}: is not on this machine, .* RELAYER_PRIVATE_KEYS and \\d+ more`));
    const database = "postgres://a@127.0.0.1:5432,db.example.org/cardkeep";
    expect(listSettingsFaults({ PUBLIC_URL: "https://api.example.org", DATABASE_URL: database })).toEqual([
      refusal("PUBLIC_URL"),
      refusal("DATABASE_URL"),
    ]);
    const [relayer = ""] = development.RELAYER_PRIVATE_KEYS.split(",");
    const pair = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const own = {
      ...production,
      NODE_ENV: "development",
      FREE_COUPON_CODE: "OURS",
      OPERATOR_API_KEY: "an operator key of our own",
      CARD_ISSUER_PIN_KEY: pair.publicKey.export({ format: "pem", type: "spki" }).toString(),
      CARD_ENCRYPTION_KEY: pair.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    };
    expect(listSettingsFaults(own)).toEqual([]);
    expect(listSettingsFaults({ ...own, RELAYER_PRIVATE_KEYS: relayer })).toHaveLength(2);
    expect(listSettingsFaults({ DATABASE_URL: database, ALLOW_DEVELOPMENT_KEYS: "true" })).toEqual([]);
    for (const host of ["127.0.0.1", "127.8.0.1", "[::1]", "localhost", "api.localhost"])
      expect(listSettingsFaults({ PUBLIC_URL: `http://${host}:3000`, DATABASE_URL: `postgres://a@${host}/b` })).toEqual(
        [],
      );
  });

  test("in production refuse development keys also where they are allowed", () => {
    const env = { ...production, ALLOW_DEVELOPMENT_KEYS: "true", SECRETS_KEYS: development.SECRETS_KEYS };
    expect(listSettingsFaults(env)).toEqual(["SECRETS_KEYS: the development value is refused in production"]);
  });

  test("refuse an address with a wrong checksum, and accept one letter case", () => {
    const right = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    const mistyped = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD";
    for (const name of ["TREASURY_ADDRESS", "SETTLEMENT_ADDRESS", "RELAYER_ADDRESSES", "TOP_UP_ADDRESS"])
      expect(listSettingsFaults({ ...production, [name]: mistyped }).filter((fault) => fault.startsWith(name))).toEqual(
        [expect.stringContaining("has a wrong checksum (EIP-55), so a character is mistyped")],
      );
    const upper = `0x${right.slice(2).toUpperCase()}`;
    for (const text of [right, right.toLowerCase(), upper])
      expect(readSettings({ ...production, TREASURY_ADDRESS: text }).policy.treasuryAddress).toBe(right);
  });

  test("in production are accepted when complete", () => {
    expect(listSettingsFaults(production)).toEqual([]);
  });

  test("in production refuse every development value, a sandbox provider and a plain public address", () => {
    const faults = listSettingsFaults({
      ...production,
      ...development,
      KYC_PROVIDER: "sandbox",
      PUBLIC_URL: "http://api.example.org",
    });
    for (const name of [...Object.keys(development), "KYC_PROVIDER", "PUBLIC_URL"]) {
      expect(faults.some((fault) => fault.startsWith(`${name}:`))).toBe(true);
    }
  });

  test("refuse access token keys that cannot sign, and repeated keys", () => {
    const [key] = JSON.parse(production.ACCESS_TOKEN_KEYS).keys;
    const other = JSON.parse(development.ACCESS_TOKEN_KEYS).keys[0];
    const faultsOfKeys = (...keys: object[]) =>
      listSettingsFaults({ ...production, ACCESS_TOKEN_KEYS: JSON.stringify({ keys }) }).map(
        (fault) => fault.split(":")[0],
      );
    for (const change of [
      { d: "c2hvcnQ" },
      { d: "" },
      { x: key.y },
      { d: other.d },
      { crv: "P-384" },
      { d: undefined },
    ])
      expect(faultsOfKeys({ ...key, ...change })[0]).toStartWith("ACCESS_TOKEN_KEYS.keys.0");
    expect(faultsOfKeys(key, key)).toEqual(["ACCESS_TOKEN_KEYS.keys"]);
    expect(faultsOfKeys()).toEqual(["ACCESS_TOKEN_KEYS.keys"]);
    const fresh = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
    expect(faultsOfKeys({ ...fresh, kid: "b" }, key)).toEqual([]);
    const twice = `0x${"ab".repeat(32)},0x${"AB".repeat(32)}`;
    expect(listSettingsFaults({ RELAYER_PRIVATE_KEYS: twice })).toEqual([
      "RELAYER_PRIVATE_KEYS: must not name a key twice",
    ]);
  });

  test("refuse keys for secrets that do not have 32 bytes, and repeated ones", () => {
    const key = Buffer.alloc(32, 3).toString("base64");
    const jwk = { kty: "oct", kid: "a", k: Buffer.alloc(32, 3).toString("base64url") };
    const set = (...keys: object[]) => JSON.stringify({ keys });
    for (const text of [
      "c2hvcnQ=",
      `${key},`,
      `${key},short`,
      "{",
      set(),
      set({ ...jwk, k: "c2hvcnQ" }),
      set({ ...jwk, kty: "RSA" }),
    ])
      expect(listSettingsFaults({ SECRETS_KEYS: text })).toEqual([
        "SECRETS_KEYS: must be keys of 32 bytes in base64, or a JWKS of such oct keys",
      ]);
    for (const text of [
      `${key},${key}`,
      set(jwk, { ...jwk, kid: "b" }),
      set(jwk, { ...jwk, k: key.replace("A", "B") }),
    ])
      expect(listSettingsFaults({ SECRETS_KEYS: text })).toEqual(["SECRETS_KEYS: must not name a key twice"]);
  });

  test("in production refuse a development key in any position of a list, and in any form", () => {
    const [relayer = ""] = development.RELAYER_PRIVATE_KEYS.split(",");
    const jwk = { kty: "oct", kid: "mine", k: Buffer.from(development.SECRETS_KEYS, "base64").toString("base64url") };
    for (const change of [
      { SECRETS_KEYS: `${production.SECRETS_KEYS},${development.SECRETS_KEYS}` },
      { SECRETS_KEYS: JSON.stringify({ keys: [jwk] }) },
      { RELAYER_PRIVATE_KEYS: `${production.RELAYER_PRIVATE_KEYS}, ${relayer.toUpperCase().replace("0X", "0x")}` },
    ])
      expect(listSettingsFaults({ ...production, ...change })).toEqual([
        `${Object.keys(change)[0]}: the development value is refused in production`,
      ]);
  });

  test("in production refuse short secrets, partners' addresses without TLS, and every local setting", () => {
    const faults = listSettingsFaults({
      ...production,
      KYC_APP_SECRET: "short",
      KYC_CALLBACK_SECRET: "short",
      OPERATOR_API_KEY: "short",
      CODE_PEPPER: "short",
      KYC_URL: " HTTP://kyc.example.org",
      TERMS_URL: "ht\ttp://example.org/terms",
      SIGN_IN_DOMAINS: "app.example.org, localhost:5173",
      CARDKEEP_LOCAL_CHAIN: "1",
    });
    const names = ["KYC_APP_SECRET", "KYC_CALLBACK_SECRET", "OPERATOR_API_KEY", "CODE_PEPPER", "KYC_URL", "TERMS_URL"];
    for (const name of [...names, "SIGN_IN_DOMAINS", "CARDKEEP_LOCAL_CHAIN"])
      expect(faults.filter((fault) => fault.startsWith(`${name}:`))).toHaveLength(1);
    expect(faults).toHaveLength(8);
  });

  test("accept proxies as addresses and networks", () => {
    for (const text of ["10.0.0.1", "10.0.0.0/8, ::1", "fd00::/8", "::ffff:10.0.0.0/104"])
      expect(listSettingsFaults({ TRUSTED_PROXIES: text })).toEqual([]);
    for (const text of [
      "proxy.internal",
      "10.0.0.0/33",
      "10.0.0.0/",
      "10.0.0.1,,::1",
      "10.0.0.0/8/8",
      "*",
      "fd00::/129",
      "0.0.0.0/0",
      "10.1/16",
      "loopback",
    ])
      expect(listSettingsFaults({ TRUSTED_PROXIES: text })).toHaveLength(1);
    expect(readSettings({ TRUSTED_PROXIES: "10.0.0.0/8" }).isTrustedProxy("::ffff:10.1.2.3")).toBe(true);
    expect(readSettings({}).isTrustedProxy("127.0.0.1")).toBe(false);
  });

  test("in production have no sandbox for mail and text messages, and send codes to a gateway over TLS only", () => {
    const { MAIL_URL: _mail, SMS_URL: _sms, ...incomplete } = production;
    expect(listSettingsFaults(incomplete, "server")).toEqual([
      "MAIL_URL: is required in production",
      "SMS_URL: is required in production",
    ]);
    // A worker sends both: a changed phone number is reported to the former one.
    expect(listSettingsFaults(incomplete, "worker").slice(0, 2)).toEqual([
      "MAIL_URL: is required in production",
      "SMS_URL: is required in production",
    ]);
    const plain = { ...production, SMS_URL: "http://AC1:secret@gateway.example.org?from=x" };
    expect(listSettingsFaults(plain)).toEqual(["SMS_URL: must be https in production"]);
  });

  test("name mail server and gateway in one address each, with a sender of our own", () => {
    expect(readSettings(production)).toMatchObject({
      mailServer: { host: "mail.example.org", port: 465 },
      mailFrom: "no-reply@api.example.org",
      sms: { url: "https://api.twilio.com", accountSid: "AC1", from: "+15005550006" },
    });
    expect(readSettings({ ...production, MAIL_FROM: "hello@cardkeep.example" }).mailFrom).toBe(
      "hello@cardkeep.example",
    );
    expect(readSettings({}).mailServer).toBeNull();
    const faults = listSettingsFaults({
      MAIL_URL: "https://mail.example.org",
      SMS_URL: "https://api.twilio.com",
      MAIL_FROM: "a, b@c.de",
    });
    expect(faults.map((fault) => fault.split(":")[0])).toEqual(["MAIL_URL", "MAIL_FROM", "SMS_URL"]);
  });

  test("name keys of cards in PEM or base64, which only the worker requires", () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    const der = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
    for (const CARD_ENCRYPTION_KEY of [pem, der]) {
      const { cardKeys } = createWorkerKeys(readSettings({ ...production, CARD_ENCRYPTION_KEY }), () => {});
      expect(cardKeys[0]?.export({ format: "pem", type: "pkcs8" }).toString()).toBe(pem);
    }
    expect(() => createWorkerKeys(readSettings(production), () => {})).toThrow(
      "CARD_ENCRYPTION_KEY: is required by the worker",
    );
    const spki = publicKey.export({ format: "der", type: "spki" }).toString("base64");
    expect(readSettings({ CARD_ISSUER_PIN_KEY: spki }).issuer.pinKey).toBe(spki);
    const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({
      format: "der",
      type: "pkcs8",
    });
    for (const value of [small.toString("base64"), spki, "a key"]) {
      expect(listSettingsFaults({ CARD_ENCRYPTION_KEY: value })[0]).toStartWith(
        "CARD_ENCRYPTION_KEY: must be an RSA private key",
      );
    }
    expect(listSettingsFaults({ ...production, CARD_ISSUER: "sandbox" })).toEqual([
      "CARD_ISSUER: sandbox is refused in production",
    ]);
    expect(listSettingsFaults({ CARD_COUNTRIES: "DE,Germany" })[0]).toStartWith("CARD_COUNTRIES");
  });

  test("in production have no defaults for keys", () => {
    const { OPERATOR_PRIVATE_KEY: _, ...incomplete } = production;
    expect(listSettingsFaults(incomplete).some((fault) => fault.startsWith("OPERATOR_PRIVATE_KEY"))).toBe(true);
  });

  test("a server needs the addresses of the chain's keys, a worker the keys, and both know the same addresses", () => {
    const { RELAYER_PRIVATE_KEYS: _, OPERATOR_PRIVATE_KEY: __, SPENDER_PRIVATE_KEY: ___, ...others } = production;
    const known = buildKeyAddresses(readSettings(production));
    const addresses = {
      RELAYER_ADDRESSES: known.relayerAddresses.join(",").toLowerCase(),
      OPERATOR_ADDRESS: known.operatorAddress.toLowerCase(),
      SPENDER_ADDRESS: known.spenderAddress.toLowerCase(),
    };
    const server = readSettings({ ...others, ...addresses });
    expect(buildKeyAddresses(server)).toEqual(known);
    const faults = listSettingsFaults(others).map((fault) => fault.split(":")[0]);
    expect(faults).toEqual(["RELAYER_PRIVATE_KEYS", "OPERATOR_PRIVATE_KEY", "SPENDER_PRIVATE_KEY"]);
    for (const name of ["CARD_ENCRYPTION_KEY", ...faults])
      expect(() => createWorkerKeys(server, () => {})).toThrow(`${name}: is required by the worker`);
  });

  test("each key of the chain is in the worker or at a signer, and not at both", () => {
    const { RELAYER_PRIVATE_KEYS, OPERATOR_PRIVATE_KEY, SPENDER_PRIVATE_KEY, ...others } = production;
    const known = buildKeyAddresses(readSettings(production));
    const signers = {
      RELAYER_SIGNERS: known.relayerAddresses.map((address) => `web3signer+https://${address}@signer`).join(","),
      OPERATOR_SIGNER: `aws-kms://${known.operatorAddress}@eu-central-1/alias/operator`,
      SPENDER_SIGNER: `web3signer+http://${known.spenderAddress}@localhost:9000`,
    };
    const remote = readSettings({ ...others, ...signers });
    expect(buildKeyAddresses(remote)).toEqual(known);
    const { cardEncryptionKeys } = readSettings({});
    const keys = createWorkerKeys({ ...remote, cardEncryptionKeys }, () => {});
    expect([...keys.relayers, keys.operator, keys.spender].map(({ isRemote }) => isRemote)).not.toContain(false);
    // Outside production a signer takes the place of the development key.
    expect(readSettings(signers)).toMatchObject({ relayerPrivateKeys: [], operatorPrivateKey: null });
    const faults = listSettingsFaults({ ...signers, OPERATOR_PRIVATE_KEY, SPENDER_PRIVATE_KEY });
    expect(faults).toEqual([
      "OPERATOR_SIGNER: must not be set beside OPERATOR_PRIVATE_KEY",
      "SPENDER_SIGNER: must not be set beside SPENDER_PRIVATE_KEY",
    ]);
    const mixed = readSettings({ ...others, ...signers, RELAYER_PRIVATE_KEYS });
    expect(() => createWorkerKeys(mixed, () => {})).toThrow("RELAYER_SIGNERS: must not name an address of");
    expect(listSettingsFaults({ OPERATOR_SIGNER: "https://signer" })[0]).toStartWith(
      "OPERATOR_SIGNER: must be web3signer+",
    );
    const twice = { RELAYER_SIGNERS: `${signers.RELAYER_SIGNERS},${signers.RELAYER_SIGNERS}` };
    expect(listSettingsFaults(twice)).toEqual(["RELAYER_SIGNERS: must not name an address twice"]);
  });

  test("keys before a rotation are in the worker, at signers or both; other processes have their addresses", () => {
    const addressOf = (byte: string) => privateKeyToAddress(`0x${byte.repeat(32)}`);
    const [operator, kept, remote] = [addressOf("44"), addressOf("55"), addressOf("66")];
    const worker = readSettings({
      ...production,
      FORMER_OPERATOR_PRIVATE_KEYS: `0x${"44".repeat(32)}`,
      FORMER_SPENDER_PRIVATE_KEYS: `0x${"55".repeat(32)}`,
      FORMER_SPENDER_SIGNERS: `web3signer+https://${remote}@signer`,
    });
    const known = buildKeyAddresses(worker);
    expect([known.formerOperatorAddresses, known.formerSpenderAddresses]).toEqual([[operator], [kept, remote]]);
    const server = readSettings({
      ...production,
      FORMER_OPERATOR_ADDRESSES: operator,
      FORMER_SPENDER_ADDRESSES: `${kept},${remote}`,
    });
    expect(buildKeyAddresses(server)).toEqual(known);
    const { cardEncryptionKeys } = readSettings({});
    const keys = createWorkerKeys({ ...worker, cardEncryptionKeys }, () => {});
    expect(keys.formerOperators.map(({ address }) => address)).toEqual([operator]);
    expect(keys.formerSpenders.map(({ address }) => address)).toEqual([kept, remote]);
    expect(listSettingsFaults({ FORMER_SPENDER_PRIVATE_KEYS: "0x1" })[0]).toStartWith("FORMER_SPENDER_PRIVATE_KEYS");
  });

  test("an account that tops up has limits, of which one top-up is within a day's, and a key of its own", () => {
    expect(readSettings({}).policy.topUpLimits).toBeNull();
    expect(buildKeyAddresses(readSettings({})).topUpAddress).toBeNull();
    const key = `0x${"5".repeat(64)}`;
    const names = ["TOP_UP_BELOW", "TOP_UP_TO", "TOP_UP_PER_DAY_MAX"] as const;
    const limits = { TOP_UP_BELOW: "0.5", TOP_UP_TO: "2", TOP_UP_PER_DAY_MAX: "10.000000000000000001" };
    const set = readSettings({ TOP_UP_PRIVATE_KEY: key, ...limits });
    const ether = 10n ** 18n;
    expect(set.policy.topUpLimits).toEqual({ below: ether / 2n, to: 2n * ether, perDayMax: 10n * ether + 1n });
    const { topUpAddress } = buildKeyAddresses(set);
    const server = readSettings({ TOP_UP_ADDRESS: topUpAddress ?? "", ...limits });
    expect([buildKeyAddresses(server).topUpAddress, createWorkerKeys(server, () => {}).topUpKey]).toEqual([
      topUpAddress,
      null,
    ]);
    const remote = readSettings({ TOP_UP_SIGNER: `web3signer+https://${topUpAddress}@signer`, ...limits });
    expect(createWorkerKeys(remote, () => {}).topUpKey).toMatchObject({ address: topUpAddress, isRemote: true });
    expect(listSettingsFaults({ TOP_UP_PRIVATE_KEY: key })).toEqual(
      names.map((name) => `${name}: is required with an account that tops up`),
    );
    expect(listSettingsFaults({ TOP_UP_PRIVATE_KEY: key, ...limits, TOP_UP_TO: "0.5" })).toEqual([
      "TOP_UP_TO: must be above TOP_UP_BELOW",
    ]);
    expect(listSettingsFaults({ TOP_UP_PRIVATE_KEY: key, ...limits, TOP_UP_PER_DAY_MAX: "1" })).toEqual([
      "TOP_UP_PER_DAY_MAX: must not be below TOP_UP_TO",
    ]);
    for (const amount of ["0", "-1", "1e3", ".5", "1.0000000000000000001"])
      expect(listSettingsFaults({ TOP_UP_BELOW: amount })[0]).toStartWith("TOP_UP_BELOW: must be");
    const { OPERATOR_PRIVATE_KEY } = production;
    expect(() =>
      buildKeyAddresses(readSettings({ ...limits, ...production, TOP_UP_PRIVATE_KEY: OPERATOR_PRIVATE_KEY })),
    ).toThrow("TOP_UP_PRIVATE_KEY: must not be the key of a relayer, the operator or the spender");
  });

  test("prices of cards are in cents above zero, each currency once, and one is in EUR", () => {
    const pricesOf = (CARD_PRICES: string) => readSettings({ CARD_PRICES }).policy.cardPrices;
    expect(readSettings({}).policy.cardPrices).toEqual({ EUR: 3_023n });
    expect(pricesOf("EUR=30.23, GBP=26.5,USD=33")).toEqual({ EUR: 3_023n, GBP: 2_650n, USD: 3_300n });
    for (const text of [
      "GBP=26",
      "EUR=0",
      "EUR=1,GBP=0",
      "EUR=1,USD=0.00",
      "EUR=1,EUR=2",
      "EUR=1,CHF=2",
      "EUR=-1",
      "EUR=1.234",
      "EUR=1,",
    ])
      expect([text, listSettingsFaults({ CARD_PRICES: text })[0]]).toEqual([
        text,
        expect.stringContaining("CARD_PRICES"),
      ]);
  });

  test("that are not there are missing, in plain words", () => {
    const { TREASURY_ADDRESS: _, SECRETS_KEYS: __, ...incomplete } = production;
    expect(listSettingsFaults(incomplete)).toEqual(["SECRETS_KEYS: is missing", "TREASURY_ADDRESS: is missing"]);
  });

  test(".env.example equals the schema", async () => {
    expect(await Bun.file(new URL("../../.env.example", import.meta.url)).text()).toBe(buildEnvExample());
  });
});
