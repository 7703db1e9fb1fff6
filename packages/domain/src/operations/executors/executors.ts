import type { ActionFacts } from "@cardkeep/db/schema/operators/operators";
import { stopNames } from "@cardkeep/db/schema/operators/stops";
import { risks } from "@cardkeep/db/schema/users/users";
import { z } from "zod";
import type { OperatorContext } from "../../core/context.ts";
import { ruleStates } from "@cardkeep/contract/cards/cardRules";
import { partnerScopes } from "@cardkeep/contract/core/scopes";
import { sealedChange } from "../../partners/partners/askedChange.ts";
import { changePartnerAsAsked, setPartnerStatus } from "../../partners/partners/changePartner.ts";
import { rotatePartnerKey } from "../../partners/partners/keys.ts";
import { unfreezeCardFor } from "../../cards/cards/changeCardFor.ts";
import { setRuleState } from "../../cards/ruleChanges/changeRules.ts";
import { setStop } from "../../operators/stops/setStop.ts";
import { acceptCase } from "../../spending/cases/listCases.ts";
import { releaseHold } from "../../spending/payments/releaseHold.ts";
import { writeOffDebt } from "../../spending/payments/writeOffDebt.ts";
import { grantCredit } from "../../spending/disputes/decideCredit.ts";
import { returnPayment } from "../../cards/orders/orderReturns.ts";
import { refundPayment } from "../../spending/payments/refundPayment.ts";
import { setRisk } from "../../verification/sourceOfFunds/setRisk.ts";
import {
  addWalletFor,
  changeWalletAsAsked,
  removeWalletFor,
  sealedWallet,
} from "../../users/signInWallets/changeWalletsFor.ts";
import { eraseAgain, erasedAgainMax } from "../../users/users/eraseAgain.ts";
import { eraseUser } from "../../users/users/eraseUser.ts";
import { currencies } from "@cardkeep/contract/core/currencies";
import { approveSpender, approvingAccounts } from "../../treasury/approvals/approveSpender.ts";
import { allowDestination, disallowDestination } from "../../treasury/destinations/changeDestinations.ts";
import { explainMovement } from "../../books/explanations/explainMovement.ts";
import { explainedAccounts } from "../../books/postings/rules.ts";
import { fund } from "../../treasury/moves/fund.ts";
import { redeem } from "../../treasury/moves/redeem.ts";
import { contribute, sweep } from "../../treasury/moves/sweep.ts";
import type { TwoPersonVerb } from "../../core/operators/verbs.ts";

type Executor = (ctx: OperatorContext, input: ActionFacts) => Promise<unknown>;

/** Runs a verb with the stored input of an approved request. */
const execute =
  <I>(schema: z.ZodType<I>, run: (ctx: OperatorContext, input: I) => Promise<unknown>): Executor =>
  (ctx, input) =>
    run(ctx, schema.parse(input));

const rotation = z.object({
  id: z.string(),
  kind: z.enum(["api", "secret"]),
  overlapSeconds: z.number(),
  scopes: z.array(z.enum(partnerScopes)).nullable().optional(),
  expiresAt: z.coerce.date().nullable(),
});

const moveInput = z.object({ amount: z.string(), currency: z.enum(currencies) });

/** How each verb is run once a second person has approved it. */
export const executors: Readonly<Record<TwoPersonVerb, Executor>> = {
  "users.erase": execute(z.object({ reference: z.string() }), eraseUser),
  "users.erase-again": execute(z.object({ userIds: z.array(z.string()).max(erasedAgainMax) }), eraseAgain),
  "users.add-wallet": execute(sealedWallet, changeWalletAsAsked(addWalletFor)),
  "users.remove-wallet": execute(sealedWallet, changeWalletAsAsked(removeWalletFor)),
  "users.risk": execute(z.object({ reference: z.string(), risk: z.enum(risks) }), setRisk),
  "cards.unfreeze": execute(z.object({ reference: z.string() }), unfreezeCardFor),
  "payments.refund": execute(z.object({ reference: z.string(), amount: z.string() }), refundPayment),
  "disputes.credit": execute(z.object({ reference: z.string() }), grantCredit),
  "orders.return": execute(z.object({ orderId: z.string() }), returnPayment),
  "debts.write-off": execute(z.object({ reference: z.string(), amount: z.string() }), writeOffDebt),
  "holds.release": execute(z.object({ reference: z.string() }), releaseHold),
  "cases.accept": execute(z.object({ id: z.string() }), acceptCase),
  "partners.change": execute(sealedChange, changePartnerAsAsked),
  "partners.rotate": execute(rotation, rotatePartnerKey),
  "partners.disable": execute(z.object({ id: z.string() }), (ctx, { id }) =>
    setPartnerStatus(ctx, { id, status: "DISABLED" }),
  ),
  "rules.activate": execute(z.object({ id: z.string(), version: z.int(), state: z.enum(ruleStates) }), setRuleState),
  "treasury.sweep": execute(moveInput, sweep),
  "treasury.redeem": execute(
    moveInput.extend({ iban: z.string().nullable(), document: z.string().nullable() }),
    redeem,
  ),
  "treasury.fund": execute(moveInput, fund),
  "treasury.contribute": execute(moveInput, contribute),
  "treasury.approve": execute(moveInput.extend({ account: z.enum(approvingAccounts) }), approveSpender),
  "treasury.allow": execute(z.object({ destination: z.string(), label: z.string() }), allowDestination),
  "treasury.disallow": execute(z.object({ destination: z.string() }), disallowDestination),
  "treasury.explain": execute(z.object({ id: z.string(), account: z.enum(explainedAccounts) }), explainMovement),
  "stops.set": execute(z.object({ name: z.enum(stopNames), isStopped: z.boolean() }), setStop),
};
