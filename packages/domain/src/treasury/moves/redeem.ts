import { toDecimal } from "@cardkeep/chain/tokens";
import { fail } from "@cardkeep/contract/core/errors";
import { findUsableDestination } from "@cardkeep/db/queries/treasury/destinations";
import { parseIban } from "@cardkeep/providers/emoney/iban";
import type { OperatorContext, Work } from "../../core/context.ts";
import { centsToBaseUnits } from "../../core/money.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";
import { beginMove } from "./beginMove.ts";
import { type MoveInput, requireDestination, requireFunds } from "./sweep.ts";
import { isRedeemable, parseMoveAmount, requireWholeCents, type ShownMove } from "./showMove.ts";

export interface RedeemInput extends MoveInput {
  /** Null: the issuer's funding IBAN. */
  iban?: string | null;
  /** The institution's id of the supporting document. */
  document?: string | null;
}

/** The institution asks for a supporting document from this amount on. */
const undocumentedCentsMax = 1_500_000n;

/**
 * Has the e-money institution burn tokens of the treasury and send the money to an allow-listed IBAN. A worker signs the
 * order and places it.
 *
 * @throws treasury.no_way_out, treasury.amount, treasury.document, treasury.not_allowed, treasury.funds, treasury.busy,
 *   treasury.stopped, operators.approval_needed
 */
export async function redeem(ctx: OperatorContext, input: RedeemInput): Promise<ShownMove> {
  const { amount: given, currency, document = null } = input;
  const { token, amount } = parseMoveAmount(given, currency);
  if (!isRedeemable(currency))
    fail("treasury.no_way_out", { text: `No e-money institution redeems ${token.symbol}: send it on chain` });
  requireWholeCents(amount, token);
  if (amount >= centsToBaseUnits(undocumentedCentsMax, token) && document === null) fail("treasury.document");
  const destination = await findIban(ctx, input);
  // Before a second person is asked: an IBAN that is not on the list is nothing to approve.
  if (!(await findUsableDestination(ctx.db, destination, await ctx.clock.now(ctx.db)))) fail("treasury.not_allowed");
  await requireApproval(ctx, "treasury.redeem", {
    input: { amount: toDecimal(amount, token), currency, iban: destination, document },
    subject: { kind: "treasury", id: "treasury" },
  });
  const source = ctx.policy.treasuryAddress;
  const readAt = await ctx.clock.now(ctx.db);
  const balance = await ctx.chain.getTokenBalance(token.address, source);
  const check = async (work: Work) => {
    await requireDestination(work, destination);
    requireFunds(balance, amount);
  };
  return beginMove(ctx, "treasury.redeem", {
    move: { kind: "redeem", token: token.symbol, amount, source, destination, documentId: document },
    readAt,
    check,
  });
}

/** The given IBAN, or the issuer's funding IBAN of the currency. @throws treasury.not_allowed where the issuer has none */
async function findIban(ctx: OperatorContext, { iban = null, currency }: RedeemInput): Promise<string> {
  if (iban !== null) return parseIban(iban) ?? fail("request.invalid", { text: "The IBAN is not valid" });
  const account = await ctx.issuer.findFundingAccount(currency);
  return account?.iban ?? fail("treasury.not_allowed", { text: `The issuer names no funding IBAN for ${currency}` });
}
