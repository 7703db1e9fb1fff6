/** Everything about one user on one page, for operators. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { type Card, listCards } from "@cardkeep/db/queries/cards/cards";
import { findOpenCardIssue } from "@cardkeep/db/queries/cards/issues";
import type { Iban } from "@cardkeep/db/queries/users/ibans";
import { type IbanOrder, listIbanOrders } from "@cardkeep/db/queries/users/ibanOrders";
import { listOrders, type Order } from "@cardkeep/db/queries/cards/orders";
import { listSafes, type Safe } from "@cardkeep/db/queries/accounts/safes";
import type { DayMoney } from "@cardkeep/db/queries/spending/paymentParts";
import { listSubscriptions, type Subscription } from "@cardkeep/db/queries/partners/subscriptions";
import type { User } from "@cardkeep/db/queries/users/users";
import { requireEligible, requireTerms } from "../../cards/cards/eligibility.ts";
import type { ProgressStep } from "../../core/progressStep.ts";
import type { OperatorContext } from "../../core/context.ts";
import type { Services } from "../../core/services.ts";
import { countAccepted } from "../../users/users/terms.ts";
import { maySeePeople, resolveUser } from "../../users/users/listUsers.ts";
import { readUser, type UserDetails } from "./getUserDetails.ts";
import { listOnboardingSteps } from "./onboarding.ts";
import { type AccountMoney, listBalanceHistory, listCardMoney, readAccount } from "./readAccount.ts";

const ibanOrdersShown = 20;

export interface UserOverview {
  /** As the reader may see the person. */
  user: UserDetails;
  /** The instant of the reads. */
  readAt: Date;
  steps: ProgressStep[];
  /** Newest first. */
  safes: Safe[];
  /** By the chain; its fault while the chain is away, null without a Safe in service. */
  money: AccountMoney | { fault: string } | null;
  /** The balance of the last 30 days as it was published. */
  history: { at: Date; total: bigint }[];
  /** What cards moved in the last 30 days, by the ledger. */
  cardMoney: DayMoney[];
  /** Newest first. */
  cards: Card[];
  orders: Order[];
  /** Without its number for who may not see people. */
  iban: Iban | null;
  /** Money by the IBAN, the newest orders first. */
  ibanOrders: IbanOrder[];
  subscriptions: Subscription[];
}

/** One user of an id, an e-mail address, a sign-in wallet or a Safe. @throws users.not_found */
export async function getUserOverview(
  ctx: OperatorContext,
  { reference }: { reference: string },
): Promise<UserOverview> {
  const { db } = ctx;
  const user = await resolveUser(db, reference);
  const own = await listSafes(db, user.id);
  const safes = own.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const safe = safes[0] ?? null;
  const [
    acceptances,
    cards,
    orders,
    ibanOrders,
    issue,
    subscriptions,
    history,
    cardMoney,
    { details, violations, iban },
  ] = await Promise.all([
    countAccepted(db, user.id),
    listCards(db, user.id),
    listOrders(db, user.id),
    listIbanOrders(db, user.id, { limit: ibanOrdersShown }),
    findOpenCardIssue(db, user.id),
    listSubscriptions(db, user.id),
    listBalanceHistory(ctx, safe),
    listCardMoney(ctx, safe),
    readUser(ctx, user, own),
  ]);
  const isChanged = violations.some(({ safeId, status }) => safeId === safe?.id && status !== "CLEARED");
  const facts = { user, acceptances, safe, isChanged, iban, cards, isCardBeingMade: issue !== null };
  const readAt = await ctx.clock.now(db);
  return {
    user: details,
    readAt,
    steps: listOnboardingSteps({ ...facts, cardFault: await findCardFault(ctx, user) }),
    safes,
    money: await readAccount(ctx, safe),
    history,
    cardMoney,
    cards,
    orders,
    iban: iban && (maySeePeople(ctx.actor) ? iban : { ...iban, iban: null }),
    ibanOrders,
    subscriptions,
  };
}

/** Why a user may have no further card, in words; null where nothing is against it. */
const findCardFault = (ctx: Services, user: User): Promise<string | null> =>
  requireEligible(ctx, ctx.db, user)
    .then(() => requireTerms(ctx.db, user))
    .then(
      () => null,
      (error: unknown) => {
        if (error instanceof CardkeepError) return `${error.message}.`;
        throw error;
      },
    );
