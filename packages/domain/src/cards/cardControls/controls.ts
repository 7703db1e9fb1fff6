/** Controls as answers and events carry them. */
import {
  type CardControls,
  openControls,
  type shownControls,
  storedControls,
} from "@cardkeep/contract/cards/cardControls";
import { type ControlsVersion, findControls } from "@cardkeep/db/queries/cards/cardControls/versions";
import { z } from "zod";
import { getCard } from "../cards/card.ts";
import type { UserContext } from "../../core/context.ts";

export type ShownControls = z.output<typeof shownControls>;

/** The document of a version; without one it forbids nothing. */
export const readControls = (version: ControlsVersion | null): CardControls =>
  version === null ? openControls : z.decode(storedControls, version.controls);

/** A version as answers carry it. */
export const buildControls = (version: ControlsVersion | null): ShownControls => ({
  ...readControls(version),
  version: version?.version ?? 0,
  changedAt: version?.createdAt ?? null,
});

/** The user's own rules on one of the user's cards. @throws cards.not_found */
export async function getControls(ctx: UserContext, { cardId }: { cardId: string }): Promise<ShownControls> {
  const { id } = await getCard(ctx.db, ctx.actor.userId, cardId);
  return buildControls(await findControls(ctx.db, id));
}
