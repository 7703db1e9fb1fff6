import { payments as noun } from "@cardkeep/desk/nouns/payments";
import { listStates } from "@cardkeep/contract/core/machine";
import { paymentMachine, type PaymentStatus } from "@cardkeep/contract/spending/spending";
import { formatCents } from "@cardkeep/domain/spending/payments/formatMoney";
import {
  getPaymentDetails,
  listAllPayments,
  type PaymentDetails,
} from "@cardkeep/domain/spending/payments/listAllPayments";
import { refundPayment } from "@cardkeep/domain/spending/payments/refundPayment";
import { listPaymentSteps } from "@cardkeep/domain/spending/payments/paymentSteps";
import { ledgerAccounts } from "@cardkeep/db/schema/spending/ledger";
import { formatInstant } from "@cardkeep/domain/core/wording";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNoun } from "./desk.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalText, parseText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderFields, renderTable } from "./print.ts";
import { joinTexts, phrase, type Text, tokenAmount } from "./texts.ts";

type Payments = Awaited<ReturnType<typeof listAllPayments>>;

const renderPayments = (payments: Payments): Text =>
  renderTable(
    [
      { title: "id" },
      { title: "status" },
      { title: "amount", align: "right" },
      { title: "merchant", elastic: true },
      { title: "card", optional: true },
      { title: "decline", optional: true },
      { title: "at" },
    ],
    payments.map((payment) => [
      payment.id,
      payment.status,
      formatCents(payment.authorizedCents, payment.billingCurrency),
      payment.merchantName ?? "-",
      payment.lastFourDigits,
      (payment.status === "DECLINED" ? payment.declineReason : null) ?? "-",
      payment.createdAt,
    ]),
    "There are no such payments. The use of a card makes one.",
  );

function renderPayment(details: PaymentDetails): Text {
  const { payment, card, safe, decline, dispute, standIn, sums, doubles } = details;
  const { billingCurrency: currency } = payment;
  const head = renderFields([
    ["Payment", payment.id],
    ["Status", payment.status],
    ["Declined", decline === null ? "-" : [`${decline.code ?? "-"}: ${decline.happened}`, decline.remedy]],
    ["Thread", payment.threadId],
    ["Merchant", payment.merchantName ?? "-"],
    ["Authorized", formatCents(payment.authorizedCents, currency)],
    ["Captured", formatCents(payment.capturedCents, currency)],
    ["Reversed", formatCents(payment.reversedCents, currency)],
    ["Refunded", formatCents(payment.refundedCents, currency)],
    ["Owed", tokenAmount(payment.owed, safe.tokenSymbol)],
    ["Card", `${card.id}  … ${card.lastFourDigits}`],
    ["User", payment.userId],
    ["Safe", safe.address],
    ["Decided without us", standIn === null ? "-" : `${standIn.decision}  ${standIn.reason}`],
    ["Dispute", dispute === null ? "-" : `${dispute.reason}  ${dispute.status}`],
    ["Possible double of", doubles.map(({ id, createdAt }) => phrase`${id}  ${createdAt}`)],
    ["Ledger", ledgerAccounts.map((account) => phrase`${account}  ${tokenAmount(sums[account], safe.tokenSymbol)}`)],
  ]);
  const steps = renderFields(
    listPaymentSteps(details).map(({ at, word, facts }) => [formatInstant(at), [word, ...facts]] as const),
  );
  return joinTexts(head, "\n", steps);
}

interface ListFlags {
  status?: PaymentStatus;
  user?: string;
  card?: string;
  merchant?: string;
  reason?: string;
  limit: number;
}

/** Holds and debts have commands of their own. */
const own = {
  ...noun,
  acts: Object.fromEntries(Object.entries(noun.acts).filter(([, { verb }]) => verb.startsWith("payments."))),
};

export const payments = buildNoun(own, {
  list: buildVerb({
    verb: "payments.list",
    brief: "Lists card payments, newest first",
    example: ["payments list --status DECLINED", "payments list --user ada@example.org --limit 10"],
    parameters: {
      flags: withJson({
        status: {
          kind: "enum",
          values: listStates(paymentMachine),
          optional: true,
          placeholder: "STATUS",
          brief: "Only payments with this status",
        },
        user: optionalText("USER", "Only payments of this user"),
        card: optionalText("CARD", "Only payments of this card, by id or card token"),
        merchant: optionalText("NAME", "Only payments at merchants whose name begins so"),
        reason: optionalText("CODE", "Only declines with this code; /docs/declines lists them"),
        limit,
      }),
    },
    run: async (cli: CliContext, flags: ListFlags) => {
      const data = await listAllPayments(await cli.open(), flags);
      return { data, text: joinTexts(renderPayments(data), formatMoreHint(data, flags.limit)) };
    },
  }),
  show: buildVerb({
    verb: "payments.show",
    brief: "Shows one payment from its authorization to its settlement, with its bookings",
    example: "payments show iauth_1a2b3c4d",
    parameters: { flags: withJson({}), positional: textArgument("payment", "Id of the payment, or of its thread") },
    run: async (cli: CliContext, _: object, reference: string) => {
      const data = await getPaymentDetails(await cli.open(), { reference });
      return { data, text: renderPayment(data) };
    },
  }),
  refund: buildChange({
    verb: "payments.refund",
    brief: "Returns money of a payment from the settlement account to its Safe, at your cost; give --reason",
    details:
      "Never more goes back than has left the Safe and was not returned, and nothing while the user owes. A later refund by\n" +
      "the issuer is paid too, up to what is left.",
    example: "payments refund iauth_1a2b3c4d 12.50 --reason goodwill",
    parameters: {
      flags: withReason({}),
      positional: {
        kind: "tuple",
        parameters: [
          { parse: parseText, placeholder: "payment", brief: "Id of the payment, or of its thread" },
          { parse: parseText, placeholder: "amount", brief: "Amount in whole tokens, such as 12.50" },
        ],
      },
    },
    run: async (cli: CliContext, _: object, reference: string, amount: string) => {
      const data = await refundPayment(await cli.open(), { reference, amount });
      const text = `The worker returns ${data.amount} ${data.tokenSymbol} to ${data.safeAddress}.\n`;
      return { data, text };
    },
  }),
});
