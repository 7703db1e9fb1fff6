import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deployments } from "@cardkeep/chain/deployments";
import { parseModuleCall } from "@cardkeep/chain/delay";
import { predictModules } from "@cardkeep/chain/predictAccount";
import { localAccounts } from "@cardkeep/local/accounts";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { createInnerAddOwnerTransaction, createInnerRemoveOwnerTransaction } from "@gnosispay/account-kit";
import { getAddress } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { deployTestContract } from "../support/contracts.ts";
import { filled } from "../support/filled.ts";
import { Person } from "../support/person.ts";
import { until } from "../support/poll.ts";
import { type Service, startService } from "../support/service.ts";

const sentinel = "0x0000000000000000000000000000000000000001";
const someone = () => privateKeyToAccount(generatePrivateKey()).address;

let service: Service;
let ada: Person;
let bob: Person;
let unsafe: Person;
let adaSafe: `0x${string}`;
beforeAll(async () => {
  service = await startService();
  [ada, bob, unsafe] = [new Person(service), new Person(service), new Person(service)];
  [adaSafe] = await Promise.all([ada.becomeAccountHolder(), bob.becomeAccountHolder(), unsafe.becomeApproved()]);
});
afterAll(() => service.stop());

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const countRows = async () => (await service.runtime.db.select().from(delayTransactions)).length;
const refused = (error: string) => ({ status: 422, body: { error } });
const addPath = (newOwner: string) => `/owners/add/transaction-data?newOwner=${newOwner}`;
const removePath = (owner: string) => `/owners/remove/transaction-data?ownerToRemove=${owner}`;
const addressless = ["", "0x", "0x12", `${sentinel}00`, "not an address", sentinel.replace("0x", "")];

describe("GET /owners", () => {
  test("lists the wallets enabled on the user's own Delay module, checksummed", async () => {
    expect(shortOf(await ada.call("GET", "/owners"))).toEqual({
      status: 200,
      body: { data: { owners: [getAddress(ada.account.address)] } },
    });
    expect((await bob.call("GET", "/owners")).body).toEqual({ data: { owners: [bob.account.address] } });
  });
});

describe("every owners endpoint", () => {
  const endpoints = (owner: string): [string, string, unknown?][] => [
    ["GET", "/owners"],
    ["GET", addPath(owner)],
    ["GET", removePath(owner)],
    ["POST", "/owners", { newOwner: owner, signature: "0x01", message: { salt: `0x${"00".repeat(32)}`, data: "0x" } }],
    [
      "DELETE",
      "/owners",
      { ownerToRemove: owner, signature: "0x01", message: { salt: `0x${"00".repeat(32)}`, data: "0x" } },
    ],
  ];

  test("answers 401 without a token, before any other check", async () => {
    for (const [method, path, body] of filled([...endpoints(someone()), ...endpoints("0x12")])) {
      expect(shortOf(await new Person(service).call(method, path, body))).toEqual({
        status: 401,
        body: { error: "Unauthorized" },
      });
    }
  });

  test("answers 404 to a user without a Safe", async () => {
    for (const [method, path, body] of filled(endpoints(someone()))) {
      expect(shortOf(await unsafe.call(method, path, body))).toEqual({
        status: 404,
        body: { error: "Couldn't find associated Safe for the user" },
      });
    }
  });
});

describe("typed data", () => {
  test("of a new owner wraps exactly the call that the SDK makes, in any letter case", async () => {
    const newOwner = someone();
    for (const text of [newOwner, newOwner.toLowerCase(), `0x${newOwner.slice(2).toUpperCase()}`]) {
      const { status, body } = await ada.call("GET", addPath(text));
      expect(status).toBe(200);
      const { delay } = predictModules(adaSafe);
      expect(body.data).toMatchObject({
        domain: { verifyingContract: delay, chainId: 100 },
        primaryType: "ModuleTx",
        types: {
          ModuleTx: [
            { type: "bytes", name: "data" },
            { type: "bytes32", name: "salt" },
          ],
        },
      });
      const { to, data } = createInnerAddOwnerTransaction(adaSafe, newOwner);
      expect(parseModuleCall(body.data.message.data)).toMatchObject({
        call: { to: getAddress(to), value: 0n, data },
        operation: "CALL",
      });
    }
  });

  test("of a removal needs a current owner who is not the last", async () => {
    expect(shortOf(await ada.call("GET", removePath(someone())))).toEqual(refused("This address is not an owner"));
    expect(shortOf(await ada.call("GET", removePath(ada.account.address)))).toEqual(
      refused("The last owner cannot be removed"),
    );
    expect(shortOf(await ada.call("GET", removePath(bob.account.address)))).toEqual(
      refused("This address is not an owner"),
    );
  });

  test("names the malformed field", async () => {
    for (const text of addressless) {
      expect(shortOf(await ada.call("GET", addPath(text)))).toEqual(refused("Invalid newOwner address format"));
      expect(shortOf(await ada.call("GET", removePath(text)))).toEqual(refused("Invalid ownerToRemove address format"));
    }
    expect(shortOf(await ada.call("GET", "/owners/add/transaction-data"))).toEqual(refused("newOwner is missing"));
    expect(shortOf(await ada.call("GET", "/owners/remove/transaction-data"))).toEqual(
      refused("Invalid ownerToRemove address format"),
    );
  });
});

describe("POST /owners refuses, and writes nothing", () => {
  test("a present owner, in any letter case", async () => {
    for (const newOwner of [ada.account.address, ada.account.address.toLowerCase()]) {
      expect(shortOf(await ada.call("GET", addPath(newOwner)))).toEqual(refused("This address is already an owner"));
    }
  });

  test("addresses without a key, of forwarding contracts, and of the service itself", async () => {
    const { delay, roles, bouncer } = predictModules(adaSafe);
    const unsuitable = [
      "0x0000000000000000000000000000000000000000",
      sentinel,
      "0x0000000000000000000000000000000000000002",
      "0x0000000000000000000000000000000000000009",
      "0x000000000000000000000000000000000000dEaD",
      adaSafe,
      delay,
      roles,
      bouncer,
      deployments.multicall,
      deployments.multiSend,
      deployments.safeMastercopy,
      deployments.moduleProxyFactory,
      "0xcB444e90D8198415266c6a2724b7900fb12FC56E",
      ...service.runtime.services.policy.relayerAddresses,
      localAccounts.operator.address,
      localAccounts.spender.address,
      localAccounts.settlement.address,
    ];
    const signed = await ada.signNewOwner(someone());
    for (const newOwner of unsuitable) {
      expect(shortOf(await ada.call("GET", addPath(newOwner)))).toEqual(refused("This address cannot be an owner"));
      expect(shortOf(await ada.call("POST", "/owners", { ...signed, newOwner: newOwner.toLowerCase() }))).toEqual(
        refused("This address cannot be an owner"),
      );
    }
    expect(await countRows()).toBe(0);
  });

  test("a contract that burns the gas of a signature, always or only where it has a price", async () => {
    for (const name of ["LoopingWallet", "PricedWallet"]) {
      const newOwner = await deployTestContract(service.rpcUrl, name);
      expect(shortOf(await ada.call("GET", addPath(newOwner)))).toEqual(refused("This address cannot be an owner"));
    }
    const wallet = await deployTestContract(service.rpcUrl, "TestWallet", `0x${"00".repeat(32)}`);
    expect((await ada.call("GET", addPath(wallet))).status).toBe(200);
    expect(await countRows()).toBe(0);
  });

  test("a body that differs from the signed one", async () => {
    const signed = await ada.signNewOwner(someone());
    const { data } = signed.message;
    const tampered = [
      { ...signed, newOwner: someone() },
      { ...signed, message: { ...signed.message, data: data.slice(0, -2) } },
      { ...signed, message: { ...signed.message, data: "0x" } },
      { ...signed, message: (await bob.signNewOwner(signed.newOwner)).message },
    ];
    for (const body of tampered) {
      expect(shortOf(await ada.call("POST", "/owners", body))).toEqual(
        refused("Signed message does not match the request"),
      );
    }
    expect(await countRows()).toBe(0);
  });

  test("another person's signature, another salt, another Safe's signed message, a foreign Safe as wallet", async () => {
    const newOwner = someone();
    const signed = await ada.signNewOwner(newOwner);
    const ofBob = await bob.signNewOwner(newOwner);
    const invalid = refused("Invalid signature");
    const bodies: [Person, object, ReturnType<typeof refused>][] = [
      [ada, { ...signed, signature: ofBob.signature }, invalid],
      [ada, { ...signed, message: { ...signed.message, salt: `0x${"12".repeat(32)}` } }, invalid],
      [ada, { ...signed, signature: `0x${"00".repeat(65)}` }, invalid],
      [ada, { ...signed, signature: "0x01" }, invalid],
      [ada, { ...signed, smartWalletAddress: adaSafe }, invalid],
      [bob, signed, refused("Signed message does not match the request")],
      [bob, { ...ofBob, signature: signed.signature }, invalid],
      [bob, { ...ofBob, signature: signed.signature, smartWalletAddress: ada.account.address }, invalid],
      [bob, { ...ofBob, smartWalletAddress: adaSafe }, invalid],
    ];
    for (const [who, body, answer] of bodies) expect(shortOf(await who.call("POST", "/owners", body))).toEqual(answer);
    expect(await countRows()).toBe(0);
  });

  test("a missing or malformed field, named in the text", async () => {
    const signed = await ada.signNewOwner(someone());
    const cases: [object, string][] = [
      [{}, "newOwner is missing"],
      [{ ...signed, newOwner: null }, "Invalid newOwner address format"],
      [{ ...signed, newOwner: "0x12", signature: undefined }, "Invalid newOwner address format"],
      [{ ...signed, signature: undefined }, "signature is missing"],
      [{ ...signed, message: undefined }, "message is missing"],
      [{ ...signed, message: { data: signed.message.data, salt: "0x12" } }, "message.salt must be 32 bytes"],
      [{ ...signed, smartWalletAddress: "0x12" }, "Invalid address format"],
    ];
    for (const [body, error] of cases) {
      expect(shortOf(await ada.call("POST", "/owners", body))).toEqual(refused(error));
    }
    expect((await ada.call("POST", `/owners?newOwner=${someone()}`, { ...signed, newOwner: undefined })).status).toBe(
      422,
    );
    expect(await countRows()).toBe(0);
  });
});

describe("DELETE /owners refuses, and writes nothing", () => {
  test("the last owner, a non-owner, and a malformed address", async () => {
    const signed = await ada.signNewOwner(someone());
    const cases: [unknown, string][] = [
      [ada.account.address, "The last owner cannot be removed"],
      [ada.account.address.toLowerCase(), "The last owner cannot be removed"],
      [bob.account.address, "This address is not an owner"],
      [someone(), "This address is not an owner"],
      ...[...addressless, 5, null, undefined].map((text): [unknown, string] => [
        text,
        "Invalid ownerToRemove address format",
      ]),
    ];
    for (const [ownerToRemove, error] of cases) {
      expect(shortOf(await ada.call("DELETE", "/owners", { ...signed, ownerToRemove }))).toEqual(refused(error));
    }
    expect(await countRows()).toBe(0);
  });
});

describe("a change of owners", () => {
  test("is one at a time: of 20 in parallel one is accepted, then neither kind, and other users are not affected", async () => {
    const bodies = await Promise.all(Array.from({ length: 20 }, () => ada.signNewOwner(someone())));
    const answers = await Promise.all(bodies.map((body) => ada.call("POST", "/owners", body)));
    const [accepted, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    expect(accepted?.body.data).toMatchObject({
      status: "QUEUING",
      safeAddress: adaSafe,
      userId: ada.userId,
      operationType: "CALL",
    });
    const others = answers.filter(({ status }) => status !== 200).map(shortOf);
    expect(others).toHaveLength(19);
    for (const answer of others) {
      expect(answer).toEqual({ status: 409, body: { error: "Another owner change is in progress" } });
    }
    expect(await countRows()).toBe(1);
    expect((await ada.findDelay(accepted?.body.data.id))?.status).toBeOneOf(["QUEUING", "WAITING"]);

    const over = await ada.signNewOwner(someone());
    const overTrpc = await ada
      .trpc()
      .owners.add.mutate({ ...over, newOwner: getAddress(over.newOwner) })
      .catch((error: unknown) => error);
    expect(overTrpc).toMatchObject({
      message: "Another owner change is in progress",
      data: { httpStatus: 409, error: "owners.change_open" },
    });
    expect((await bob.call("POST", "/owners", await bob.signNewOwner(someone()))).status).toBe(200);
    expect(await countRows()).toBe(2);
  });

  test("is shown with the inner call's data, which is the SDK's", async () => {
    const [newOwner, carol] = [someone(), new Person(service)];
    const safe = await carol.becomeAccountHolder();
    const { body } = await carol.call("POST", "/owners", await carol.signNewOwner(newOwner.toLowerCase()));
    expect(body.data.transactionData).toBe(createInnerAddOwnerTransaction(safe, newOwner).data);
    expect((await carol.findDelay(body.data.id)) as object).toMatchObject({
      transactionData: body.data.transactionData,
    });
    const { id } = body.data;
    await until(async () => (await carol.findDelay(id))?.status === "WAITING");
    await carol.sandbox("POST", "/chain/advance", { seconds: 181 });
    await until(async () => (await carol.findDelay(id))?.status === "EXECUTED");

    const { body: removal } = await carol.call("DELETE", "/owners", await carol.signRemoval(carol.account.address));
    expect(removal.data.transactionData).toBe(
      createInnerRemoveOwnerTransaction(safe, { prevOwner: newOwner, ownerToRemove: carol.account.address }).data,
    );
  });
});
