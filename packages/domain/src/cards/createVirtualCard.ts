import { reply, type Commit, type UserContext } from "../context.ts";
import { startCard } from "./startCard.ts";

/** Issues a virtual card to the user, active at once. @throws what `startCard` throws */
export async function createVirtualCard(ctx: UserContext): Promise<Commit<{ cardId: string }>> {
  const { id: cardId } = await startCard(ctx, { order: null, pin: null });
  return reply({ cardId });
}
