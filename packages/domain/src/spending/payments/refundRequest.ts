/**
 * Requests of support for a refund: one case of a payment, open until finance returned what it asks for by hand, or closes it.
 * Both are behind the lock of the payment's Safe.
 */
import type { Token } from "@cardkeep/chain/tokens";
import type { Executor } from "@cardkeep/db/client";
import { type CardCase, closeCase, findOpenCaseOf, setCaseNote } from "@cardkeep/db/queries/spending/cases";
import { listActions } from "@cardkeep/db/queries/operators/actionLists";
import type { OperatorAction } from "@cardkeep/db/queries/operators/actions";
import type { CardTransfer } from "@cardkeep/db/queries/spending/transfers";
import type { CardCaseKind } from "@cardkeep/contract/spending/cardCases";
import type { Work } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import type { OperatorChange } from "../../core/operators/verbs.ts";
import { formatUnitsShort } from "../../core/wording.ts";

const kind = "refund_request";

/** The open request of a payment. */
export const findRefundRequest = (on: Executor, paymentId: string): Promise<CardCase | null> =>
  findOpenCaseOf(on, { kind, subjectId: paymentId });

/** Requests of one case that are read. */
const asksMax = 20;

/** Kinds of cases that operators open by asking, and how. */
const askedBy: Readonly<Partial<Record<CardCaseKind, OperatorChange>>> = {
  refund_request: "payments.request-refund",
  erasure_request: "users.request-erasure",
};

/** What operators did to make a request, newest first: who asked, when and why. */
export async function listAsks(
  on: Executor,
  { id, kind: asked, subjectId, closedAt, status }: CardCase,
): Promise<OperatorAction[]> {
  const verb = askedBy[asked];
  if (verb === undefined) return [];
  const wanted = { verb, subjectId, after: null, limit: asksMax };
  const since = status === "OPEN" ? closedAt : null;
  return (await listActions(on, wanted)).filter(
    ({ after, at }) => after?.["caseId"] === id && (since === null || at > since),
  );
}

/** Base units that were returned by hand since an open request was made, or are about to be. */
export async function sumPaidFor(on: Executor, request: CardCase, transfers: readonly CardTransfer[]): Promise<bigint> {
  const since = (await listAsks(on, request)).at(-1)?.at ?? request.createdAt;
  return transfers
    .filter((made) => made.isByHand && made.status !== "FAILED" && made.createdAt >= since)
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** What finance does about an open request. */
export const refundAdvice =
  "Return it by a refund of the payment, which closes the case, or close the case with the reason why not.";

/** What the case of a request says. */
export function describeRefundRequest(
  { decimals, symbol }: Pick<Token, "decimals" | "symbol">,
  { asked, paid }: { asked: bigint; paid: bigint },
): string {
  const format = (units: bigint) => `${formatUnitsShort(units, decimals)} ${symbol}`;
  const returned = paid === 0n ? "" : ` Returned by hand so far: ${format(paid)}.`;
  return `Support asks to return ${format(asked)} of this payment.${returned} ${refundAdvice}`;
}

/**
 * Closes the request of a payment with the refund by hand that pays the rest of it, in the commit of that refund; a smaller one is
 * written on the case. Answers the case that was closed.
 */
export async function payRefundRequest(
  { tx, now }: Pick<Work, "tx" | "now">,
  refund: {
    paymentId: string;
    transfers: readonly CardTransfer[];
    amount: bigint;
    token: Token;
    by: string;
    why: string;
  },
): Promise<CardCase | null> {
  const { paymentId, transfers, amount, token, by, why } = refund;
  const request = await findRefundRequest(tx, paymentId);
  if (request === null) return null;
  const paid = (await sumPaidFor(tx, request, transfers)) + amount;
  const asked = centsToBaseUnits(request.amountCents, token);
  await setCaseNote(tx, request.id, describeRefundRequest(token, { asked, paid }));
  if (paid < asked) return null;
  return closeCase(tx, request.id, { closedAt: now, closedBy: by, closeReason: `Returned by hand: ${why}` });
}
