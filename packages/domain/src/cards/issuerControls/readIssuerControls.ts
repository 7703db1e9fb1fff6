/** The controls that the issuer shall have of cards, by the rules in force, each with its digest. */
import type { Executor } from "@cardkeep/db/client";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import {
  countPaidPayments,
  listPartnersOf,
  listRulesInForce,
  type RuleInForce,
} from "@cardkeep/db/queries/cards/cardControls/issuerRules";
import { type IssuerControls, noControls } from "@cardkeep/providers/issuer/controls";
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { buildIssuerControls, countsPayments } from "./buildIssuerControls.ts";

export interface WantedControls {
  readonly controls: IssuerControls;
  /** Null where nothing is forbidden, and nothing that a payment changes. */
  readonly digest: string | null;
}

/** What a card has where no rule is in force. */
export const withoutControls: WantedControls = { controls: noControls, digest: null };

type Subject = Pick<Card, "id" | "userId">;

/** The controls of some cards, in their order. */
export async function readIssuerControls(on: Executor, cards: readonly Subject[]): Promise<WantedControls[]> {
  const userIds = [...new Set(cards.map(({ userId }) => userId))];
  const rules = await listRulesInForce(on, userIds);
  if (rules.length === 0) return cards.map(() => withoutControls);
  const partners = await listPartnersOf(on, userIds);
  const wanted: WantedControls[] = [];
  for (const card of cards) {
    const isAbout = ({ scope, subjectId }: RuleInForce): boolean =>
      scope === "programme" ||
      (scope === "partner" ? subjectId === (partners.get(card.userId) ?? null) : isOwn(card, subjectId));
    const definitions = rules.filter(isAbout).map(({ definition }) => definition);
    const isCounted = countsPayments(definitions);
    const controls = buildIssuerControls(definitions, isCounted ? await countPaidPayments(on, card) : 0);
    wanted.push({ controls, digest: digestOf(controls, isCounted) });
  }
  return wanted;
}

const isOwn = ({ id, userId }: Subject, subjectId: string | null): boolean => subjectId === id || subjectId === userId;

/** The same controls have the same digest, in any process. */
function digestOf(controls: IssuerControls, isCounted: boolean): string | null {
  if (!isCounted && isDeepStrictEqual(controls, noControls)) return null;
  const text = JSON.stringify([isCounted, controls], (_, value: unknown) =>
    typeof value === "bigint" ? value.toString() : value,
  );
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
