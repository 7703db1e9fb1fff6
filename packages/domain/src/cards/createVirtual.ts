import type { UserContext } from "../context.ts";
import { makeCard } from "./start.ts";

/** Issues a virtual card to the user, active at once. @throws what `makeCard` throws */
export async function createVirtual(ctx: UserContext): Promise<{ cardId: string }> {
  const { id: cardId } = await makeCard(ctx, { order: null, pin: null });
  return ctx.commit(async () => ({ cardId }));
}
