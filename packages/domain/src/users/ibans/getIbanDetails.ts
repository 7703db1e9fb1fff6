import { fail } from "@cardkeep/contract/core/errors";
import { addressDeclaration } from "@cardkeep/contract/users/ibans";
import { ibanOrdersMax } from "@cardkeep/contract/users/ibanRoutes";
import { findIban } from "@cardkeep/db/queries/users/ibans";
import { listIbanOrders } from "@cardkeep/db/queries/users/ibanOrders";
import { findActiveSafe } from "@cardkeep/db/queries/accounts/safes";
import { findUser } from "@cardkeep/db/queries/users/users";
import type { UserContext } from "../../core/context.ts";
import { isAvailable } from "./eligibility.ts";

/** The user's IBAN and how far it is. */
export async function getIbanDetails(ctx: UserContext) {
  const row = await findIban(ctx.db, ctx.actor.userId);
  const ibanStatus = row?.status ?? ("NOTSTARTED" as const);
  const address = ibanStatus === "NOTSTARTED" ? null : (row?.address ?? null);
  return { data: { iban: row?.iban ?? null, bic: row?.bic ?? null, ibanStatus, address } };
}

/** Whether the user may ask for an IBAN now. @throws auth.token_invalid when the token outlived its user */
export async function getIbanAvailability(ctx: UserContext): Promise<{ data: { available: boolean } }> {
  const user = (await findUser(ctx.db, ctx.actor.userId)) ?? fail("auth.token_invalid");
  const safe = await findActiveSafe(ctx.db, user.id);
  return { data: { available: isAvailable(user, safe, await findIban(ctx.db, user.id)) } };
}

/** The message that an owner of the Safe signs. */
export const signingMessage = async (): Promise<{ data: { message: string } }> => ({
  data: { message: addressDeclaration },
});

/** The newest orders of the institution, newest first, in their last reported state. */
export async function listOwnIbanOrders(
  ctx: UserContext,
  { updatedSince, cursor }: { updatedSince?: Date | undefined; cursor?: string | undefined } = {},
) {
  const page = { limit: ibanOrdersMax + 1, updatedSince, after: cursor };
  const rows = await ctx.lists.read((on) => listIbanOrders(on, ctx.actor.userId, page));
  const shown = rows.slice(0, ibanOrdersMax);
  const last = rows.length > shown.length ? shown.at(-1) : undefined;
  return {
    ...(last && { next: last.id }),
    data: shown.map(({ placedAt, processedAt, rejectedReason, txHashes, ...order }) => ({
      ...order,
      meta: { placedAt, processedAt, rejectedReason, txHashes },
    })),
  };
}
