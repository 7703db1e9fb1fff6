/** Tokens of cards in digital wallets, as the issuer keeps them. Source: docs.stripe.com/api/issuing/tokens. */
import type { Tx } from "@cardkeep/db/client";
import {
  insertIssuerObject,
  type IssuerObject,
  listIssuerObjects,
  updateIssuerObject,
} from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { generateDigits } from "./generateNumber.ts";
import {
  buildList,
  createdRange,
  defineIssuerRoute,
  generateIssuerId,
  getObject,
  IssuerError,
  type IssuerRoute,
  type IssuerWork,
  lockObject,
  pageOf,
  toUnixSeconds,
} from "./route.ts";

export const walletTokenObject = "issuing.token";
const path = "/v1/issuing/tokens";
const tokensMax = 100;

export const wallets = ["apple_pay", "google_pay", "samsung_pay"] as const;
export const devices = ["phone", "watch", "other"] as const;

type Data = IssuerObject["data"];

/** Writes a token that a wallet asks for, and approves it where `isApproved`. */
export async function insertWalletToken(
  { tx, now, emit }: IssuerWork,
  card: string,
  input: { wallet: string; deviceType: string; deviceName: string; isApproved: boolean },
): Promise<Data> {
  const id = generateIssuerId("intok");
  const at = toUnixSeconds(now);
  const data = {
    id,
    object: walletTokenObject,
    card,
    created: at,
    device_fingerprint: null,
    last4: generateDigits(4),
    livemode: false,
    network: "visa",
    network_data: {
      type: "visa",
      device: { type: input.deviceType, name: input.deviceName },
      visa: {
        card_reference_id: generateIssuerId("V"),
        token_reference_id: generateIssuerId("DNITHE"),
        token_requestor_id: "40010030273",
      },
      wallet_provider: { card_number_source: "app", suggested_decision: "approve", suggested_decision_version: "1" },
    },
    network_updated_at: at,
    status: "requested",
    wallet_provider: input.wallet,
  };
  await insertIssuerObject(tx, { id, object: walletTokenObject, data, hidden: {}, createdAt: now });
  emit({ type: "issuing_token.created", object: data });
  return input.isApproved ? moveWalletToken({ tx, now, emit }, data, "active") : data;
}

const moves: Readonly<Record<string, readonly string[]>> = {
  requested: ["active", "deleted"],
  active: ["suspended", "deleted"],
  suspended: ["active", "deleted"],
  deleted: [],
};

/** Moves a token and emits its event. @throws IssuerError where its status does not allow it */
async function moveWalletToken(
  { tx, now, emit }: Pick<IssuerWork, "tx" | "now" | "emit">,
  known: Data,
  status: string,
): Promise<Data> {
  const [id, from] = [String(known["id"]), String(known["status"])];
  if (from === status) return known;
  if (!moves[from]?.includes(status))
    throw new IssuerError(400, `A token that is ${from} cannot become ${status}`, { param: "status" });
  const data = { ...known, status, network_updated_at: toUnixSeconds(now) };
  await updateIssuerObject(tx, id, { data });
  emit({ type: "issuing_token.updated", object: data });
  return data;
}

const listOfCard = (tx: Tx, card: string): Promise<IssuerObject[]> =>
  listIssuerObjects(tx, { object: walletTokenObject, part: { card }, startingAfter: null, limit: tokensMax });

/** Deletes the tokens of a card that was canceled. */
export async function deleteTokensOfCard(work: IssuerWork, card: string): Promise<void> {
  for (const { data } of await listOfCard(work.tx, card))
    if (data["status"] !== "deleted") await moveWalletToken(work, data, "deleted");
}

const retrieve = defineIssuerRoute({
  method: "GET",
  path: `${path}/{id}`,
  input: z.object({ id: z.string(), expand: z.array(z.string()).optional() }),
  run: async ({ tx }, { id }) => (await getObject(tx, walletTokenObject, id)).data,
});

const update = defineIssuerRoute({
  method: "POST",
  path: `${path}/{id}`,
  input: z.object({ id: z.string(), status: z.enum(["active", "deleted", "suspended"]) }),
  run: async (work, { id, status }) => {
    const { data } = await lockObject(work.tx, walletTokenObject, id);
    return moveWalletToken(work, data, status);
  },
});

const list = defineIssuerRoute({
  method: "GET",
  path,
  input: pageOf({
    card: z.string(),
    status: z.enum(["active", "deleted", "requested", "suspended"]).optional(),
    created: createdRange,
  }),
  run: async ({ tx }, { card, status, created, expand: _, ...page }) =>
    buildList(path, page, (asked) =>
      listIssuerObjects(tx, {
        object: walletTokenObject,
        // JSON omits undefined fields.
        part: { card, status },
        ...created,
        ...asked,
      }),
    ),
});

export const walletTokenRoutes: readonly IssuerRoute[] = [retrieve, update, list];
