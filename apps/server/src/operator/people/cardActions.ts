/** What support may do to a card for its holder, each behind a confirmation. */
import { cardStatusCodes } from "@cardkeep/contract/cards/cards";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import { isEnded } from "@cardkeep/domain/cards/cards/card";
import { freezeCardFor, markLostFor, markStolenFor, unfreezeCardFor } from "@cardkeep/domain/cards/cards/changeCardFor";
import { reissueCard } from "@cardkeep/domain/cards/orders/reissueCard";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import { type Html, markup } from "@cardkeep/html/markup";
import { renderConfirm } from "../page/confirm.ts";
import { type Action, linkTo, may, type Visit } from "../page/page.ts";

interface CardAct {
  readonly verb: Extract<OperatorVerb, `cards.${string}`>;
  readonly label: string;
  readonly consequence: string;
  readonly isDanger: boolean;
  readonly fits: (card: Card) => boolean;
}

const acts: readonly CardAct[] = [
  {
    verb: "cards.freeze",
    label: "Freeze this card",
    consequence: "It declines at once. The holder, or you, can make it active again.",
    isDanger: false,
    fits: ({ statusCode, activatedAt }) => statusCode === cardStatusCodes.active && activatedAt !== null,
  },
  {
    verb: "cards.unfreeze",
    label: "Unfreeze this card",
    consequence: "It spends again. Be sure that its holder asks, and has the card.",
    isDanger: false,
    fits: ({ statusCode }) => statusCode === cardStatusCodes.frozen,
  },
  {
    verb: "cards.lost",
    label: "Report it lost",
    consequence: "It ends for good, here and at the issuer.",
    isDanger: true,
    fits: ({ statusCode }) => !isEnded(statusCode),
  },
  {
    verb: "cards.stolen",
    label: "Report it stolen",
    consequence: "It ends for good, here and at the issuer.",
    isDanger: true,
    fits: ({ statusCode }) => !isEnded(statusCode),
  },
  {
    verb: "cards.reissue",
    label: "Replace it by a new card",
    consequence:
      "It ends for good if it has not, and another one of the same kind is made, once. A physical card goes to the address of this one.",
    isDanger: true,
    fits: () => true,
  },
];

/** The forms that fit the card's status and the operator's roles. */
export function renderCardActions(visit: Visit, card: Card): Html | false {
  const fitting = acts.filter(({ verb, fits }) => may(visit, verb) && fits(card));
  if (fitting.length === 0) return false;
  return markup`<h2 id="actions">For the holder</h2>
    <p>The holder gets a mail about each of these.</p>
    <div class="actions">
      ${fitting.map(({ verb, label, consequence, isDanger }) =>
        renderConfirm({
          action: `/operator/cards/${card.id}/${verb.slice("cards.".length)}`,
          label,
          consequence,
          isDanger,
        }),
      )}
    </div>`;
}

const act =
  (run: (ctx: OperatorContext, input: { reference: string }) => Promise<unknown>): Action =>
  async ({ ctx, params }) => {
    const reference = params["id"] ?? "";
    await run(ctx, { reference });
    return linkTo(`/operator/cards/${encodeURIComponent(reference)}`, { done: "done" });
  };

export const freeze = act(freezeCardFor);
export const unfreeze = act(unfreezeCardFor);
export const lose = act(markLostFor);
export const reportStolen = act(markStolenFor);
export const reissue = act(reissueCard);
