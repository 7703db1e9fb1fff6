/**
 * Where a person stands, as the service answers it. The steps of the Person desk are derived from it, and not from what
 * the page remembers.
 */
import type { Address } from "@cardkeep/contract/core/primitives";
import type { ListedMonth } from "@cardkeep/contract/spending/statements";
import { listIssuerObjects, type IssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { type InboxAttempt, listNewestAttempts } from "@cardkeep/db/sandbox/inboxes";
import { getDailyLimit } from "@cardkeep/domain/accounts/withdrawals/getDailyLimit";
import { type Balances, getBalances } from "@cardkeep/domain/accounts/balances/getBalances";
import { listOwnCards } from "@cardkeep/domain/cards/cards/listOwnCards";
import { createContext, type UserContext } from "@cardkeep/domain/core/context";
import { listOperations, type OperationSummary } from "@cardkeep/domain/accounts/delays/listOperations";
import { generateId } from "@cardkeep/domain/core/generateId";
import { listOwnIbanOrders } from "@cardkeep/domain/users/ibans/getIbanDetails";
import { listOwnOrders } from "@cardkeep/domain/cards/orders/order";
import { listOwners } from "@cardkeep/domain/accounts/owners/owners";
import { listPartners } from "@cardkeep/domain/partners/partners/getPartner";
import { getDeployment } from "@cardkeep/domain/accounts/safes/getDeployment";
import { listQuestions } from "@cardkeep/domain/verification/sourceOfFunds/answerQuestions";
import { terms } from "@cardkeep/domain/users/users/terms";
import { getMe, type User } from "@cardkeep/domain/users/users/user";
import { listMonths } from "@cardkeep/domain/spending/statements/statements";
import { listOwnTokens } from "@cardkeep/domain/users/tokens/tokens";
import { getSubscription } from "@cardkeep/domain/partners/webhooks/subscribe";
import { authorizationObject } from "../../issuer/authorizations.ts";
import type { SandboxRuntime } from "../../core/openStore.ts";
import type { View } from "../desk.ts";

const [operationsMax, paymentsMax, partnersMax, attemptsMax] = [60, 8, 10, 5];

/** A partner, and whether it receives the person's events. */
export interface PartnerState {
  readonly id: string;
  readonly name: string;
  readonly isSubscribed: boolean;
  /** Its newest deliveries about the person. */
  readonly attempts: readonly InboxAttempt[];
}

/** A user of the service. */
export interface Account {
  readonly user: User;
  readonly terms: Awaited<ReturnType<typeof terms>>["terms"];
  readonly questions: Awaited<ReturnType<typeof listQuestions>>;
  readonly deployment: Awaited<ReturnType<typeof getDeployment>>["status"];
  /** The address of the Safe in service; null before. */
  readonly safe: Address | null;
  /** Null without a Safe in service, or while the node does not answer; so is the limit. */
  readonly balances: Balances | null;
  readonly limit: Awaited<ReturnType<typeof getDailyLimit>>["data"] | null;
  readonly owners: readonly Address[];
  readonly orders: Awaited<ReturnType<typeof listOwnOrders>>;
  readonly cards: Awaited<ReturnType<typeof listOwnCards>>;
  readonly payments: readonly IssuerObject[];
  /** Bank transfers that arrived by the IBAN. */
  readonly transfers: number;
  /** The months with statements, newest first; none without a Safe in service. */
  readonly statements: readonly ListedMonth[];
  readonly tokens: Awaited<ReturnType<typeof listOwnTokens>>;
  /** Newest first. */
  readonly operations: readonly OperationSummary[];
  readonly partners: readonly PartnerState[];
}

export interface PersonState {
  readonly runtime: SandboxRuntime;
  /** The wallet of the person's key. */
  readonly wallet: Address;
  /** Whether the service accepts the page's access token for this person. */
  readonly isSignedIn: boolean;
  /** Null before the sign-up. */
  readonly account: Account | null;
  /** The service's time. */
  readonly now: Date;
  /** The chain's time, unix seconds; null while the node does not answer. */
  readonly chainSeconds: number | null;
}

const orNull = <T>(asked: Promise<T>): Promise<T | null> => asked.catch(() => null);

/** Reads where the person of a page stands; null for a page without a person. */
export async function readPersonState({
  runtime,
  clock,
  person,
  wallet: named,
  token,
}: View): Promise<PersonState | null> {
  const wallet = named ?? person?.walletAddress ?? null;
  if (wallet === null) return null;
  const actor = token === null ? null : await runtime.services.accessTokens.verify(token);
  const signedIn = typeof actor === "string" ? null : actor;
  const isSignedIn = signedIn?.signerAddress === wallet || (person !== null && signedIn?.userId === person.id);
  const account = person === null ? null : await readAccount(runtime, { signerAddress: wallet, userId: person.id });
  return { runtime, wallet, isSignedIn, account, now: clock.now, chainSeconds: clock.block?.timestamp ?? null };
}

async function readAccount(runtime: SandboxRuntime, actor: UserContext["actor"]): Promise<Account> {
  const ctx = { ...createContext(runtime.services, { log: runtime.log, requestId: generateId() }), actor };
  const { userId } = actor;
  const [user, accepted, questions, { status: deployment }, orders, cards, transfers, operations, partners, tokens] =
    await Promise.all([
      getMe(ctx),
      terms(ctx),
      listQuestions(ctx, {}),
      getDeployment(ctx),
      listOwnOrders(ctx),
      listOwnCards(ctx, {}),
      listOwnIbanOrders(ctx),
      listOperations(ctx, { userId, limit: operationsMax }),
      readPartners(ctx, runtime),
      listOwnTokens(ctx),
    ]);
  const hasSafe = deployment === "ok";
  const [balances, limit, owners, payments, statements] = await Promise.all([
    hasSafe ? orNull(getBalances(ctx)) : null,
    hasSafe ? orNull(getDailyLimit(ctx)) : null,
    hasSafe ? orNull(listOwners(ctx)) : null,
    Promise.all(cards.map(({ cardToken }) => listPaymentsOf(runtime, cardToken))),
    hasSafe ? orNull(listMonths(ctx)) : null,
  ]);
  return {
    user,
    terms: accepted.terms,
    questions,
    deployment,
    safe: hasSafe ? (user.safeWallets[0]?.address ?? null) : null,
    balances,
    limit: limit?.data ?? null,
    owners: owners?.data.owners ?? [],
    orders,
    cards,
    payments: payments
      .flat()
      .toSorted((a, b) => Number(b.sequence - a.sequence))
      .slice(0, paymentsMax),
    transfers: transfers.data.length,
    statements: statements ?? [],
    tokens,
    operations,
    partners,
  };
}

const listPaymentsOf = ({ store }: SandboxRuntime, cardToken: string): Promise<IssuerObject[]> =>
  listIssuerObjects(store, {
    object: authorizationObject,
    startingAfter: null,
    limit: paymentsMax,
    part: { card: { id: cardToken } },
  });

async function readPartners(ctx: UserContext, { store }: SandboxRuntime): Promise<PartnerState[]> {
  const known = await listPartners(ctx, { limit: partnersMax });
  return Promise.all(
    known.map(async ({ id, name }) => ({
      id,
      name,
      isSubscribed: (await getSubscription(ctx, { partnerId: id })).subscribed,
      attempts: await listNewestAttempts(store, { name: id, text: ctx.actor.userId, limit: attemptsMax }),
    })),
  );
}
