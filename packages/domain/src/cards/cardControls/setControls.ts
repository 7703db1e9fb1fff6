import { type CardControls, storedControls } from "@cardkeep/contract/cards/cardControls";
import { fail } from "@cardkeep/contract/core/errors";
import { findControls, insertControls } from "@cardkeep/db/queries/cards/cardControls/versions";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { isEnded, lockOwnCard } from "../cards/card.ts";
import type { Commit, UserContext } from "../../core/context.ts";
import { publish } from "../../core/publish.ts";
import { buildControlRules } from "./buildControlRules.ts";
import { buildControls, readControls, type ShownControls } from "./controls.ts";
import { refreshIssuerControls } from "../issuerControls/refreshIssuerControls.ts";
import { writeControlRules } from "./writeControlRules.ts";

/**
 * Replaces the user's own rules on a card, with its version, its rules and its event in one commit. The same document again
 * changes nothing. Requests about one card wait for each other.
 *
 * @throws cards.not_found, cards.void
 */
export async function setControls(
  ctx: UserContext,
  { cardId, ...given }: CardControls & { cardId: string },
): Promise<Commit<ShownControls>> {
  const { userId } = ctx.actor;
  return async (work) => {
    const { tx, now: createdAt, requestId } = work;
    const card = await lockOwnCard(tx, userId, cardId);
    if (isEnded(card.statusCode)) fail("cards.void");
    const known = await findControls(tx, card.id);
    const controls = withoutDoubles(given);
    // Also without a change: an operator may have made one of the rules inactive.
    if (await writeControlRules(work, card, buildControlRules(controls))) await refreshIssuerControls(work, [card]);
    if (isDeepStrictEqual(readControls(known), controls)) return buildControls(known);
    const stored = z.encode(storedControls, controls);
    const version = (known?.version ?? 0) + 1;
    const row = { cardId: card.id, version, userId, controls: stored, requestId, createdAt };
    await insertControls(tx, row);
    const shown = buildControls(row);
    await publish(work, "card.controls.changed", userId, {
      userId,
      cardToken: card.cardToken,
      cardId: card.id,
      controls: shown,
    });
    return shown;
  };
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

const withoutDoubles = (controls: CardControls): CardControls => ({
  ...controls,
  blockedCategories: unique(controls.blockedCategories),
  allowedCountries: controls.allowedCountries && unique(controls.allowedCountries),
  blockedCountries: controls.blockedCountries && unique(controls.blockedCountries),
});
