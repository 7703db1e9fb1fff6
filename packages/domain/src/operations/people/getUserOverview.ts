/** Everything about one user on one page, for operators. */
import { CardkeepError } from "@cardkeep/contract/core/errors";
import { type Card, listCards } from "@cardkeep/db/queries/cards/cards";
import { findOpenCardIssue } from "@cardkeep/db/queries/cards/issues";
import { listOpenDelays } from "@cardkeep/db/queries/accounts/delays/lists";
import { findIban, type Iban, type IbanOrder, listIbanOrders } from "@cardkeep/db/queries/users/ibans";
import { listViolations, type Violation } from "@cardkeep/db/queries/accounts/integrity";
import { listOrders, type Order } from "@cardkeep/db/queries/cards/orders";
import { listSafes, type Safe } from "@cardkeep/db/queries/accounts/safes";
import { sumDebts, type TokenDebt } from "@cardkeep/db/queries/spending/debts";
import type { DayMoney } from "@cardkeep/db/queries/spending/paymentParts";
import { type ContactChange, listContactChanges } from "@cardkeep/db/queries/users/contactChanges";
import { findLegalHold, type LegalHold, listRestrictedRecords } from "@cardkeep/db/queries/users/records";
import { listSubscriptions, type Subscription } from "@cardkeep/db/queries/partners/subscriptions";
import { listSignInWallets, type SignInWallet, type User } from "@cardkeep/db/queries/users/users";
import { requireEligible, requireTerms } from "../../cards/cards/eligibility.ts";
import type { ProgressStep } from "../../core/progressStep.ts";
import type { Services } from "../../core/services.ts";
import { countAccepted } from "../../users/users/terms.ts";
import { isUsable } from "../../verification/contacts/contactChange.ts";
import { listUnderWay } from "../../users/users/listUnderWay.ts";
import { resolveUser } from "../../users/users/listUsers.ts";
import { listOnboardingSteps } from "./onboarding.ts";
import { type AccountMoney, listBalanceHistory, listCardMoney, readAccount } from "./readAccount.ts";

const ibanOrdersShown = 20;

export interface UserOverview {
  user: User;
  /** The instant of the reads. */
  readAt: Date;
  steps: ProgressStep[];
  signInWallets: SignInWallet[];
  /** Newest first. */
  safes: Safe[];
  /** Why accounts are not as they were set up. */
  violations: Violation[];
  /** By the chain; its fault while the chain is away, null without a Safe in service. */
  money: AccountMoney | { fault: string } | null;
  /** The balance of the last 30 days as it was published. */
  history: { at: Date; total: bigint }[];
  /** What cards moved in the last 30 days, by the ledger. */
  cardMoney: DayMoney[];
  debts: TokenDebt[];
  /** Newest first. */
  cards: Card[];
  orders: Order[];
  iban: Iban | null;
  /** Money by the IBAN, the newest orders first. */
  ibanOrders: IbanOrder[];
  /** The change of a contact that waits for the user. */
  contactChange: ContactChange | null;
  /** What is under way, so that the person cannot be erased, in words. */
  underWay: string[];
  /** The open legal hold. */
  hold: LegalHold | null;
  /** What the law keeps of an erased person, and until when. */
  restricted: Awaited<ReturnType<typeof listRestrictedRecords>>;
  subscriptions: Subscription[];
  /** Accepted operations that have not ended. */
  openOperations: number;
}

/** One user of an id, an e-mail address, a sign-in wallet or a Safe. @throws users.not_found */
export async function getUserOverview(ctx: Services, { reference }: { reference: string }): Promise<UserOverview> {
  const { db } = ctx;
  const user = await resolveUser(db, reference);
  const safes = (await listSafes(db, user.id)).toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const safe = safes[0] ?? null;
  const [
    acceptances,
    signInWallets,
    cards,
    orders,
    iban,
    ibanOrders,
    issue,
    debts,
    subscriptions,
    violations,
    open,
    history,
    cardMoney,
    hold,
    restricted,
    [newestChange],
    underWay,
  ] = await Promise.all([
    countAccepted(db, user.id),
    listSignInWallets(db, user.id),
    listCards(db, user.id),
    listOrders(db, user.id),
    findIban(db, user.id),
    listIbanOrders(db, user.id, { limit: ibanOrdersShown }),
    findOpenCardIssue(db, user.id),
    sumDebts(db, user.id),
    listSubscriptions(db, user.id),
    Promise.all(safes.map(({ id }) => listViolations(db, id))),
    Promise.all(safes.map(({ id }) => listOpenDelays(db, id))),
    listBalanceHistory(ctx, user.id),
    listCardMoney(ctx, safe),
    findLegalHold(db, user.id),
    listRestrictedRecords(db, user.id),
    listContactChanges(db, user.id, 1),
    listUnderWay(db, user),
  ]);
  const isChanged = violations.flat().some(({ safeId, status }) => safeId === safe?.id && status !== "CLEARED");
  const facts = { user, acceptances, safe, isChanged, iban, cards, isCardBeingMade: issue !== null };
  const readAt = await ctx.clock.now(db);
  return {
    user,
    readAt,
    contactChange: newestChange && isUsable(newestChange, user, readAt) ? newestChange : null,
    steps: listOnboardingSteps({ ...facts, cardFault: await findCardFault(ctx, user) }),
    signInWallets,
    safes,
    violations: violations.flat(),
    money: await readAccount(ctx, safe),
    history,
    cardMoney,
    debts,
    cards,
    orders,
    iban,
    ibanOrders,
    hold,
    restricted,
    underWay,
    subscriptions,
    openOperations: open.flat().length,
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
