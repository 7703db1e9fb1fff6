import { listExpiredCards, lockCard } from "@cardkeep/db/queries/cards";
import type { Context } from "../context.ts";
import { changeStatus } from "./change.ts";

/** Ends cards whose last month is over; answers how many. */
export async function expireCards(ctx: Context): Promise<number> {
  const due = await listExpiredCards(ctx.db, await ctx.clock.now(ctx.db));
  for (const { id } of due) {
    await ctx.commit(async (work) => {
      const card = await lockCard(work.tx, id);
      if (card) await changeStatus(work, card, "1054");
    });
  }
  return due.length;
}
