import { listExpiredCards, lockCard } from "@cardkeep/db/queries/cards/cards";
import { changeStatus } from "../cards/change.ts";
import type { ChoreContext } from "./context.ts";
import { runEach } from "./runEach.ts";

/** Ends cards whose last month is over. @throws Error after the last card, where the expiry of any failed */
export async function expireCards(ctx: ChoreContext): Promise<void> {
  await runEach(ctx, {
    items: await listExpiredCards(ctx.db, await ctx.clock.now(ctx.db)),
    name: ({ id }) => id,
    run: ({ id }) =>
      ctx.commit(async (work) => {
        const card = await lockCard(work.tx, id);
        if (card) await changeStatus(work, card, "1054");
      }),
  });
}
