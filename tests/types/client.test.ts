import { expect, expectTypeOf, test } from "bun:test";
import { createCardkeepClient } from "@cardkeep/client/client";
import { findErrorCode } from "@cardkeep/client/errors";
import type {
  Balances,
  CallInputs,
  CallOutputs,
  Card,
  CardTransaction,
  Delay,
  Order,
  User,
} from "@cardkeep/client/types";
import { errorCodes } from "@cardkeep/contract/core/errorCatalogue";

const client = createCardkeepClient({ url: "http://127.0.0.1:1" });

/** Never called: it only has to compile, and each marked line must not. */
async function neverCalled(): Promise<void> {
  const { data } = await client.accounts.withdraw.mutate({
    amount: "1",
    to: "0x000000000000000000000000000000000000bEEF",
    tokenAddress: "0x0000000000000000000000000000000000000000",
    signature: "0x00",
    message: { salt: "0x00", data: "0x" },
  });
  const status: "QUEUING" | "WAITING" | "EXECUTING" | "EXECUTED" | "FAILED" = data.status;
  const readyAt: string | undefined = data.readyAt;
  // @ts-expect-error a status is not a number
  const wrongStatus: number = data.status;
  // @ts-expect-error there is no such field
  const hash = data.hash;
  // @ts-expect-error an instant travels as text
  const wrongReadyAt: Date | null = data.readyAt;
  // @ts-expect-error the destination is missing
  await client.accounts.withdrawalData.query({ amount: "1", tokenAddress: "0x00" });
  // @ts-expect-error an amount is a decimal string
  await client.accounts.withdrawalData.query({ amount: 1, to: "0x00", tokenAddress: "0x00" });
  // @ts-expect-error a query is not a mutation
  await client.users.me.mutate();
  // @ts-expect-error there is no such verb
  await client.users.destroy.mutate();
  expectTypeOf<Card["lastFourDigits"]>().toEqualTypeOf<string>();
  expectTypeOf<Delay["status"]>().toEqualTypeOf(data.status);
  expectTypeOf<Balances["total"]>().toBeString();
  expectTypeOf<CallOutputs["orders"]["list"][number]>().toEqualTypeOf<Order>();
  expectTypeOf<CallInputs["cards"]["list"]>().not.toBeAny();
  expectTypeOf<User["id"]>().toBeString();
  expectTypeOf<CardTransaction["merchant"]["name"]>().toBeString();
  expectTypeOf(errorCodes["cards.not_found"]).toEqualTypeOf<"cards.not_found">();
  const reason = await client.transactions.listDisputeReasons.query();
  // @ts-expect-error a reason is one of the published ones
  await client.transactions.dispute.mutate({ threadId: "1", disputeReason: "bad mood" });
  await client.transactions.dispute.mutate({ threadId: "1", disputeReason: "wrong_value" });
  // @ts-expect-error a status code is one that cards have
  await client.cards.list.query({ status_code: "2000" });
  // @ts-expect-error a source is KYC or ENS
  await client.orders.create.mutate({ personalizationSource: "NFT" });
  // @ts-expect-error an ENS name is asked for
  await client.orders.create.mutate({ personalizationSource: "ENS" });
  // @ts-expect-error there are four documents
  await client.users.acceptTerms.mutate({ terms: "house-rules", version: "1" });
  void [reason, status, readyAt, wrongStatus, hash, wrongReadyAt];
}

test("calls are typed by the route table", () => {
  expect(neverCalled).toBeFunction();
});

test("a service that does not answer is not a refusal", async () => {
  const error = await client.auth.nonce.query().then(
    () => null,
    (refusal: unknown) => refusal,
  );
  expect(error).not.toBeNull();
  expect(findErrorCode(error)).toBeNull();
});
