import { fail } from "@cardkeep/contract/core/errors";
import { findCard } from "@cardkeep/db/queries/cards/cards";
import type { SealedText } from "../cards/openEnvelope.ts";
import { findBegun, startCard } from "../cards/startCard.ts";
import { reply, type Commit, type UserContext } from "../../core/context.ts";
import { getOrder } from "./order.ts";

interface PinData {
  encryptedKey?: string | undefined;
  encryptedPin?: string | undefined;
  iv?: string | undefined;
}

/**
 * Has the card of a ready order made, with the PIN that its user chose or a random one; each order once.
 *
 * @throws orders.not_found, orders.wrong_status, request.invalid, and what `startCard` throws
 */
export async function createCard(
  ctx: UserContext,
  { orderId, pinData }: { orderId: string; pinData?: PinData | null | undefined },
): Promise<Commit<{ success: boolean; cardToken: string }>> {
  const order = await getOrder(ctx.db, ctx.actor.userId, orderId);
  // The same request again finds the order as its first attempt left it.
  if (order.status !== "READY" && (await findBegun(ctx)) === null) fail("orders.wrong_status");
  const pin = readPinData(pinData ?? {});
  if (pin && order.virtual) fail("request.invalid", { text: "pinData is for a physical card" });
  const { id } = await startCard(ctx, { order, pin });
  const card = await findCard(ctx.db, id);
  if (!card) throw new Error(`Card ${id} has no row`);
  return reply({ success: true, cardToken: card.cardToken });
}

/** The older endpoint, whose answer has no card token. @throws what `createCard` throws */
export async function createCardOlder(
  ctx: UserContext,
  { orderId, ...pinData }: PinData & { orderId: string },
): Promise<Commit<{ success: boolean }>> {
  const commit = await createCard(ctx, { orderId, pinData });
  return async (work) => {
    const { success } = await commit(work);
    return { success };
  };
}

/** All three fields, or none of them. @throws request.invalid */
function readPinData({ encryptedKey, encryptedPin, iv }: PinData): SealedText | null {
  if (encryptedKey && encryptedPin && iv) return { encryptedKey, encryptedData: encryptedPin, iv };
  return encryptedKey || encryptedPin || iv ? fail("request.invalid", { text: "pinData is incomplete" }) : null;
}
