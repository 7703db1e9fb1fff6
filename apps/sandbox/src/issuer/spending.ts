/** Authorizations and transactions, with the helpers that move them on in tests. Source: docs.stripe.com/api/issuing. */
import { listIssuerObjects, updateIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { capture, clearWithoutAuthorization, refundCapture } from "./captures.ts";
import { reverseAuthorization } from "./endAuthorization.ts";
import {
  authorizationObject,
  findAuthorization,
  type IssuerData,
  showAuthorization,
  transactionObject,
} from "./authorizations.ts";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  getObject,
  type IssuerRoute,
  type IssuerWork,
  lockObject,
  mergeMetadata,
  metadata,
  missing,
  pageOf,
  raise,
  wholeNumber,
} from "./route.ts";

const helpers = "/v1/test_helpers/issuing";
const expand = z.array(z.string()).optional();

const shown = async ({ tx }: IssuerWork, id: string): Promise<IssuerData> =>
  showAuthorization(tx, (await findAuthorization(tx, id)) ?? raise(missing("authorization", id)));

const retrieveAuthorization = defineIssuerRoute({
  method: "GET",
  path: "/v1/issuing/authorizations/{id}",
  input: z.object({ id: z.string(), expand }),
  run: (work, { id }) => shown(work, id),
});

const retrieveTransaction = defineIssuerRoute({
  method: "GET",
  path: "/v1/issuing/transactions/{id}",
  input: z.object({ id: z.string(), expand }),
  run: async ({ tx }, { id }) => (await getObject(tx, transactionObject, id)).data,
});

const filter = z.string().optional();
const filters = { card: filter, cardholder: filter, created: createdRange };
const authorizationFilters = pageOf({ ...filters, status: filter });
const transactionFilters = pageOf({ ...filters, type: filter });

/** A list with the object's filters; `buildPart` converts a card's id to the matching part of an object's data. */
const listOf = (
  object: string,
  path: string,
  input: typeof authorizationFilters | typeof transactionFilters,
  buildPart: (card: string) => Record<string, unknown>,
): IssuerRoute =>
  defineIssuerRoute({
    method: "GET",
    path,
    input,
    run: async ({ tx }, { card, cardholder, created, expand: _, limit, starting_after, ending_before, ...own }) =>
      buildList(path, { limit, starting_after, ending_before }, (asked) =>
        listIssuerObjects(tx, {
          object,
          // JSON omits undefined fields.
          part: { cardholder, ...own, ...(card !== undefined && buildPart(card)) },
          ...created,
          ...asked,
        }),
      ),
  });

const updateTransaction = defineIssuerRoute({
  method: "POST",
  path: "/v1/issuing/transactions/{id}",
  input: z.object({ id: z.string(), metadata }),
  run: async ({ tx }, { id, metadata: given }) => {
    const found = await lockObject(tx, transactionObject, id);
    const data = { ...found.data, metadata: mergeMetadata(found.data["metadata"], given) };
    await updateIssuerObject(tx, id, { data });
    return data;
  },
});

const captureHelper = defineIssuerRoute({
  method: "POST",
  path: `${helpers}/authorizations/{id}/capture`,
  input: z.object({
    id: z.string(),
    capture_amount: wholeNumber.optional(),
    close_authorization: z.enum(["true", "false"]).default("true"),
  }),
  run: async (work, { id, capture_amount: amount, close_authorization: close }) => {
    await capture(work, id, { amount, close: close === "true" });
    return shown(work, id);
  },
});

const reverseHelper = defineIssuerRoute({
  method: "POST",
  path: `${helpers}/authorizations/{id}/reverse`,
  input: z.object({ id: z.string(), reverse_amount: wholeNumber.optional() }),
  run: async (work, { id, reverse_amount: amount }) => {
    await reverseAuthorization(work, id, "reversed", amount);
    return shown(work, id);
  },
});

const expireHelper = defineIssuerRoute({
  method: "POST",
  path: `${helpers}/authorizations/{id}/expire`,
  input: z.object({ id: z.string() }),
  run: async (work, { id }) => {
    await reverseAuthorization(work, id, "expired");
    return shown(work, id);
  },
});

const refundHelper = defineIssuerRoute({
  method: "POST",
  path: `${helpers}/transactions/{id}/refund`,
  input: z.object({ id: z.string(), refund_amount: wholeNumber.optional() }),
  run: async (work, { id, refund_amount: amount }) => {
    const transaction = await getObject(work.tx, transactionObject, id);
    const { authorization } = transaction.data;
    return refundCapture(
      work,
      typeof authorization === "string" ? authorization : raise(missing("authorization", id)),
      amount,
    );
  },
});

const withoutAuthorization = z.object({
  amount: wholeNumber,
  card: z.string(),
  currency: z.string().default("eur"),
  merchant_data: z
    .object({ name: z.string().optional(), city: z.string().optional(), country: z.string().optional() })
    .default({}),
});

const force = (name: "create_force_capture" | "create_unlinked_refund"): IssuerRoute =>
  defineIssuerRoute({
    method: "POST",
    path: `${helpers}/transactions/${name}`,
    input: withoutAuthorization,
    run: (work, { amount, card, currency, merchant_data: { name: merchant, city, country } }) =>
      clearWithoutAuthorization(work, card, {
        type: name === "create_force_capture" ? "capture" : "refund",
        amount,
        merchantAmount: amount,
        currency,
        merchantCurrency: currency,
        merchant: {
          name: merchant ?? "Rocket Rides",
          city: city ?? "Berlin",
          country: country ?? "DE",
          mcc: "4121",
        },
      }),
  });

export const spendingRoutes: readonly IssuerRoute[] = [
  retrieveAuthorization,
  listOf(authorizationObject, "/v1/issuing/authorizations", authorizationFilters, (id) => ({ card: { id } })),
  retrieveTransaction,
  updateTransaction,
  listOf(transactionObject, "/v1/issuing/transactions", transactionFilters, (card) => ({ card })),
  captureHelper,
  reverseHelper,
  expireHelper,
  force("create_force_capture"),
  force("create_unlinked_refund"),
  refundHelper,
];
