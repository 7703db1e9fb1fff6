import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import { listExpiredCards, lockCard } from "@cardkeep/db/queries/cards/cards";
import { changeStatus } from "../../cards/cards/changeStatus.ts";
import { readEarlierTime } from "../../core/databaseTime.ts";
import { type ChoreContext, runEach } from "./runEach.ts";

/**
 * Ends cards whose last month is over; a machine whose clock is ahead ends none too early.
 *
 * @throws Error after the last card, where the expiry of any failed
 */
export async function expireCards(ctx: ChoreContext): Promise<void> {
  await runEach(ctx, {
    items: await listExpiredCards(ctx.db, await readEarlierTime(ctx)),
    name: ({ id }) => id,
    run: ({ id }) =>
      ctx.commit(async (work) => {
        const card = await lockCard(work.tx, id);
        if (card) await changeStatus(work, card, cardStatusCodes.expired);
      }),
  });
}
