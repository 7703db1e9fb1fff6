import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { SignedWrongly, SignerFailed } from "@cardkeep/chain/errors";
import { addressOfPublicKey, createLocalSigner, createRemoteSigner, type Signer } from "@cardkeep/chain/signer";
import { development } from "@cardkeep/runtime/development";
import { createRuntime } from "@cardkeep/runtime/compose";
import { readSettings } from "@cardkeep/runtime/settings";
import { parseSignerPlace } from "@cardkeep/runtime/settings/signers";
import { createSandbox } from "@cardkeep/sandbox/app";
import { openStore, type SandboxRuntime } from "@cardkeep/sandbox/core/openStore";
import { createAwsKms } from "@cardkeep/providers/signers/awsKms";
import { parseDerSignature, parseSpki } from "@cardkeep/providers/signers/der";
import { ProviderUnavailable } from "@cardkeep/providers/http";
import { createWeb3signer } from "@cardkeep/providers/signers/web3signer";
import fc from "fast-check";
import { keccak256, recoverAddress, toHex, type Address, type Hex } from "viem";
import { awsCredentials, nameAwsKms, nameWeb3signer, startCutProxy } from "../support/signers.ts";

const local = createLocalSigner(development.SPENDER_PRIVATE_KEY);
const { address } = local;
const stranger: Address = "0x000000000000000000000000000000000000bEEF";
const limits = { totalMs: 1_500, tryMs: 250 };
/** Of tests that ask what is answered, and not how fast. */
const patient = { totalMs: 15_000, tryMs: 3_000 };
const digest = keccak256("0x01");
const digests = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes));

let runtime: SandboxRuntime;
let sandbox: Bun.Server<undefined>;
let url: string;
beforeAll(async () => {
  Object.assign(process.env, awsCredentials);
  // No route of the signers reads the database or the chain.
  const env = { DATABASE_URL: "postgres://localhost:1/none", RPC_URL: "http://localhost:1", LOG_LEVEL: "silent" };
  runtime = openStore(await createRuntime(readSettings(env), "sandbox"));
  sandbox = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: createSandbox(runtime).fetch });
  url = `http://127.0.0.1:${sandbox.port}`;
});
afterEach(() => fetch(`${url}/faults`, { method: "DELETE" }));
afterAll(async () => {
  await sandbox.stop(true);
  await runtime.close();
});

const set = (name: string, options: object = {}) =>
  fetch(`${url}/faults/${name}`, { method: "PUT", body: JSON.stringify(options) });

const listFaults = async (): Promise<unknown> => (await fetch(`${url}/faults`)).json();
const failureOf = (signed: Promise<unknown>): Promise<unknown> =>
  signed.then(
    () => null,
    (error: unknown) => error,
  );

const kinds: Record<string, (at?: string, of?: Address, within?: typeof limits) => Signer> = {
  web3signer: (at = url, of = address, within = limits) =>
    createRemoteSigner(
      of,
      createWeb3signer({ url: `${at}/web3signer`, address: of, addressOf: addressOfPublicKey, limits: within }),
    ),
  "AWS KMS": (at = url, of = address, within = limits) =>
    createRemoteSigner(
      of,
      createAwsKms({ region: "eu-central-1", keyId: `alias/${address}`, endpoint: `${at}/aws-kms`, limits: within }),
    ),
};

describe.each(Object.entries(kinds))("a key at %s", (_, open) => {
  test("signs every digest as the key itself does", async () => {
    const signer = open(url, address, patient);
    await fc.assert(
      fc.asyncProperty(digests, fc.boolean(), async (each, isHigh) => {
        if (isHigh) await set("signer.high", { count: 1 });
        expect(await signer.signDigest(each)).toEqual(await local.signDigest(each));
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  test("is asked again after it was throttled, down, slow or hanging", async () => {
    const expected = await local.signDigest(digest);
    for (const [name, options] of [
      ["signer.throttle", { count: 2 }],
      ["signer.down", { count: 1 }],
      ["signer.error", { count: 1, status: 500 }],
      ["signer.slow", { count: 1, ms: 50 }],
      ["signer.hang", { count: 1 }],
    ] as const) {
      await set(name, options);
      expect(await open().signDigest(digest)).toEqual(expected);
    }
  });

  test("that signs wrongly is caught", async () => {
    await set("signer.wrong");
    const error = await failureOf(open().signDigest(digest));
    expect(error).toBeInstanceOf(SignedWrongly);
    expect(String(error)).toContain(`The signer of ${address} signed wrongly; nothing was sent`);
  });

  test("fails within its deadline, and at once after five failures", async () => {
    const signer = open();
    await set("signer.hang");
    // The signer answers nothing until the fault is off, so the deadline alone ends these.
    const errors = await Promise.all([1, 2, 3, 4, 5].map(() => failureOf(signer.signDigest(digest))));
    for (const error of errors) expect(error).toBeInstanceOf(SignerFailed);
    await set("signer.slow", { ms: 0 });
    expect(await failureOf(signer.signDigest(digest))).toBeInstanceOf(SignerFailed);
    expect(await listFaults()).toContainEqual(expect.objectContaining({ name: "signer.slow", hits: 0 }));
  });

  test("whose connection dies is asked again", async () => {
    const proxy = await startCutProxy();
    try {
      const signer = open(proxy.url);
      const pending = signer.signDigest(digest);
      await Bun.sleep(20);
      proxy.target = sandbox.port ?? null;
      expect(await pending).toEqual(await local.signDigest(digest));
      proxy.cut();
      expect(await signer.signDigest(digest)).toEqual(await local.signDigest(digest));
    } finally {
      proxy.stop();
    }
  });

  test("is checked by its public key", async () => {
    await open().check();
    expect(await failureOf(open(url, stranger).check())).toBeInstanceOf(SignerFailed);
  });
});

describe("AWS KMS", () => {
  const key = { region: "eu-central-1", keyId: `alias/${address}` };
  const open = () => createAwsKms({ ...key, endpoint: `${url}/aws-kms`, limits: patient });

  test("is asked again where no credentials were found for a moment", async () => {
    for (const name of Object.keys(awsCredentials)) delete process.env[name];
    process.env["AWS_EC2_METADATA_DISABLED"] = "true";
    try {
      const signed = open().signDigest(digest);
      setTimeout(() => Object.assign(process.env, awsCredentials), 500);
      expect((await signed).r).toBeGreaterThan(0n);
    } finally {
      delete process.env["AWS_EC2_METADATA_DISABLED"];
      Object.assign(process.env, awsCredentials);
    }
  });

  test("names its account and role in an error, and no log line does", async () => {
    await set("signer.error", { status: 500 });
    const answer = await fetch(`${url}/aws-kms`, { method: "POST", body: "{}" });
    expect(await answer.text()).toContain("111122223333");
    const error = await failureOf(open().signDigest(digest));
    expect(error).toBeInstanceOf(ProviderUnavailable);
    expect(Bun.inspect(error, { depth: 10 })).not.toContain("111122223333");
  });
});

test("a refusal of AWS KMS is not repeated", async () => {
  // An answer that comes late would be asked for again.
  const signer = createRemoteSigner(
    address,
    createAwsKms({ region: "eu-central-1", keyId: "alias/none", endpoint: `${url}/aws-kms`, limits: patient }),
  );
  await set("signer.slow", { ms: 0 });
  expect(await failureOf(signer.signDigest(digest))).toBeInstanceOf(SignerFailed);
  expect(await listFaults()).toMatchObject([{ hits: 1 }]);
});

test("a service that hashes the digest again is caught", async () => {
  const old = { getPublicKey: async () => "0x" as Hex, signDigest: async (each: Hex) => sign(keccak256(each)) };
  const sign = async (each: Hex) => {
    const { r, s } = await local.signDigest(each);
    return { r: BigInt(r), s: BigInt(s) };
  };
  expect(await failureOf(createRemoteSigner(address, old).signDigest(digest))).toBeInstanceOf(SignedWrongly);
});

describe("DER", () => {
  test("of other bytes is neither a signature nor a key", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        expect(parseSpki(bytes)).toBeNull();
        const parsed = parseDerSignature(bytes);
        if (parsed) expect(bytes[0]).toBe(0x30);
      }),
    );
  });

  test("signatures without a key are wrong for every key", async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(-1n, 2n ** 256n), fc.bigInt(-1n, 2n ** 256n), digests, async (r, s, each) => {
        const service = { signDigest: async () => ({ r, s }), getPublicKey: async () => "0x" as Hex };
        expect(await failureOf(createRemoteSigner(address, service).signDigest(each))).toBeInstanceOf(SignedWrongly);
      }),
      { numRuns: 100 },
    );
  });

  test("a signature of a local key recovers its address", async () => {
    const signature = await local.signDigest(digest);
    expect(await recoverAddress({ hash: digest, signature })).toBe(address);
  });
});

describe("the place of a signer", () => {
  test("is read from one address", () => {
    const arn = "arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab";
    expect(parseSignerPlace(`web3signer+https://${address.toLowerCase()}@signer:9000/a/`)).toEqual({
      kind: "web3signer",
      address,
      url: "https://signer:9000/a",
    });
    expect(parseSignerPlace(`aws-kms://${address}@eu-central-1/${arn}`)).toEqual({
      kind: "aws-kms",
      address,
      region: "eu-central-1",
      keyId: arn,
      endpoint: null,
    });
    expect(parseSignerPlace(nameAwsKms(url, address))).toMatchObject({ endpoint: `${url}/aws-kms` });
    expect(parseSignerPlace(nameWeb3signer(url, address))).toMatchObject({ url: `${url}/web3signer` });
  });

  test.each([
    "",
    "web3signer+https://signer:9000",
    `https://${address}@signer`,
    `web3signer+ftp://${address}@signer`,
    `web3signer+https://${address}:secret@signer`,
    `web3signer+https://${address}@signer?x=1`,
    `aws-kms://${address}@eu-central-1/`,
    `aws-kms://${address}@nowhere/key`,
    `aws-kms://${address}@eu-central-1/key?other=1`,
    `aws-kms://${address}@eu-central-1/key?endpoint=file:///x`,
  ])("%s is refused", (text) => {
    expect(parseSignerPlace(text)).toBeNull();
  });
});
