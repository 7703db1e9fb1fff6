import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deployments } from "@cardkeep/chain/deployments";
import { findNewestSafe } from "@cardkeep/db/queries/accounts/safes";
import { delayTransactions } from "@cardkeep/db/schema/tables";
import { Person } from "../support/person.ts";
import { type Service, startService } from "../support/service.ts";
import { eure } from "../support/tokens.ts";

const destination = "0x000000000000000000000000000000000000bEEF";
const elsewhere = "0x000000000000000000000000000000000000dEaD";

let service: Service;
let ada: Person;
let bob: Person;
let adaSafe: string;
beforeAll(async () => {
  service = await startService({ env: { RELAYED_OPERATIONS_PER_HOUR: "6" } });
  ada = new Person(service);
  bob = new Person(service);
  [adaSafe] = await Promise.all([ada.becomeAccountHolder(), bob.becomeAccountHolder()]);
  await ada.sandbox("POST", "/chain/faucet", { address: adaSafe, token: "EURe", amount: "100" });
});
afterAll(() => service.stop());

const shortOf = ({ status, body }: { status: number; body: unknown }) => ({ status, body });
const countRows = async () => (await service.runtime.db.select().from(delayTransactions)).length;
const mismatch = { status: 422, body: { error: "Signed message does not match the request" } };

describe("POST /accounts/withdraw refuses, and writes nothing", () => {
  test.each([
    "0",
    "-1",
    "+1",
    "1.0",
    "1e3",
    " 1",
    "1\n",
    "０１",
    (2n ** 256n).toString(),
    "9".repeat(10_000),
    5,
    null,
    undefined,
  ])("the amount %p", async (amount) => {
    const body = { ...(await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" })), amount };
    expect(shortOf(await ada.call("POST", "/accounts/withdraw", body))).toEqual({
      status: 422,
      body: { error: "amount must be a valid integer" },
    });
    expect(await countRows()).toBe(0);
  });

  test("a destination where money is lost or stays in the account, for the typed data too", async () => {
    const refused = { status: 422, body: { error: "Invalid to address" } };
    const safe = await findNewestSafe(service.runtime.db, ada.userId ?? "");
    const parts = [safe?.address, safe?.delayAddress, safe?.rolesAddress, safe?.bouncerAddress];
    const precompiles = ["0", "1", "a", "100"].map((digits) => `0x${digits.padStart(40, "0")}`);
    const other = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
    for (const to of [eure, ...parts, ...precompiles, deployments.multicall, deployments.delayMastercopy]) {
      const transfer = { tokenAddress: eure, to: to ?? "", amount: "1" };
      const query = new URLSearchParams(transfer);
      expect(shortOf(await ada.call("GET", `/accounts/withdraw/transaction-data?${query}`))).toEqual(refused);
      expect(shortOf(await ada.call("POST", "/accounts/withdraw", { ...other, to }))).toEqual(refused);
    }
    expect(await countRows()).toBe(0);
  });

  test("a body that differs from the signed one", async () => {
    const signed = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
    const tampered = [
      { ...signed, amount: "100" },
      { ...signed, to: elsewhere },
      { ...signed, tokenAddress: elsewhere },
      { ...signed, message: { ...signed.message, data: signed.message.data.slice(0, -2) } },
      { ...signed, message: { ...signed.message, data: "0x" } },
    ];
    for (const body of tampered) expect(shortOf(await ada.call("POST", "/accounts/withdraw", body))).toEqual(mismatch);
    expect(await countRows()).toBe(0);
  });

  test("another person's signature, another salt, and another person's Safe", async () => {
    const invalid = { status: 422, body: { error: "Invalid signature" } };
    const signed = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
    const { signature } = await bob.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
    expect(shortOf(await ada.call("POST", "/accounts/withdraw", { ...signed, signature }))).toEqual(invalid);
    const otherSalt = { ...signed, message: { ...signed.message, salt: `0x${"12".repeat(32)}` } };
    expect(shortOf(await ada.call("POST", "/accounts/withdraw", otherSalt))).toEqual(invalid);
    expect(shortOf(await bob.call("POST", "/accounts/withdraw", signed))).toEqual(invalid);
    expect(shortOf(await bob.call("POST", "/accounts/withdraw", { ...signed, smartWalletAddress: adaSafe }))).toEqual(
      invalid,
    );
    expect(await countRows()).toBe(0);
  });

  test("more than the Safe holds", async () => {
    const signed = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "101" });
    expect(shortOf(await ada.call("POST", "/accounts/withdraw", signed))).toEqual({
      status: 422,
      body: { error: "Insufficient balance" },
    });
    expect(await countRows()).toBe(0);
  });

  test("a missing or malformed field, named in the text", async () => {
    const signed = await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" });
    const cases: [object, string][] = [
      [{ ...signed, to: "0x12" }, "Invalid to address format"],
      [{ ...signed, tokenAddress: `${eure}00` }, "Invalid tokenAddress address format"],
      [{ ...signed, signature: undefined }, "signature is missing"],
      [{ ...signed, message: undefined }, "message is missing"],
      [{ ...signed, message: { data: signed.message.data, salt: "0x12" } }, "message.salt must be 32 bytes"],
    ];
    for (const [body, error] of cases) {
      expect(shortOf(await ada.call("POST", "/accounts/withdraw", body))).toEqual({ status: 422, body: { error } });
    }
    expect(shortOf(await ada.call("POST", "/accounts/withdraw", {}))).toEqual({
      status: 422,
      body: { error: "amount must be a valid integer" },
    });
    expect(await countRows()).toBe(0);
  });
});

describe("POST /accounts/withdraw accepts", () => {
  test("one signed message once, repeated and in parallel", async () => {
    const signed = await ada.signWithdrawal({
      tokenAddress: eure.toLowerCase(),
      to: destination.toLowerCase(),
      amount: "10",
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ada.call("POST", "/accounts/withdraw", signed)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(19);
    expect(await countRows()).toBe(1);
  });

  test("no more in parallel than the Safe holds", async () => {
    const bodies = await Promise.all(
      Array.from({ length: 4 }, () => ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "40" })),
    );
    const answers = await Promise.all(bodies.map((body) => ada.call("POST", "/accounts/withdraw", body)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 200, 422, 422]);
  });

  test("a quota of operations per Safe and hour: 429 above it, and other users are not affected", async () => {
    const submit = async () =>
      ada.call(
        "POST",
        "/accounts/withdraw",
        await ada.signWithdrawal({ tokenAddress: eure, to: destination, amount: "1" }),
      );
    for (let used = await countRows(); used < 6; used++) expect((await submit()).status).toBe(200);
    const { status, body, headers } = await submit();
    expect({ status, body }).toEqual({ status: 429, body: { error: "Too many requests" } });
    expect(headers.get("retry-after")).not.toBeNull();
    expect((await bob.call("GET", "/delay-relay")).body).toEqual([]);
  });
});
