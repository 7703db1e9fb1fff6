import { currencies, type Currency } from "@cardkeep/contract/core/currencies";
import { treasury as noun } from "@cardkeep/desk/nouns/treasury";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import type { OperatorChange } from "@cardkeep/domain/core/operators/verbs";
import { approveSpender, approvingAccounts } from "@cardkeep/domain/treasury/approvals/approveSpender";
import { allowDestination, disallowDestination } from "@cardkeep/domain/treasury/destinations/changeDestinations";
import { explainMovement } from "@cardkeep/domain/books/explanations/explainMovement";
import { type ExplainedAccount, explainedAccounts } from "@cardkeep/domain/books/postings/rules";
import { fund } from "@cardkeep/domain/treasury/moves/fund";
import { getMove } from "@cardkeep/domain/treasury/moves/listMoves";
import { redeem } from "@cardkeep/domain/treasury/moves/redeem";
import type { ShownMove } from "@cardkeep/domain/treasury/moves/showMove";
import { contribute, type MoveInput, sweep } from "@cardkeep/domain/treasury/moves/sweep";
import { showTreasury } from "@cardkeep/domain/treasury/overview/showTreasury";
import { buildRouteMap, type Command } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { buildNounRoutes } from "./desk.ts";
import { UsageError } from "./errors.ts";
import { optionalText, parseText, textArgument, withJson, withReason } from "./parameters.ts";
import { renderRow } from "./renderNoun.ts";
import { renderTreasury } from "./renderTreasury.ts";

const currency = {
  kind: "enum",
  values: currencies,
  optional: true,
  placeholder: "EUR|GBP|USD",
  brief: "Currency of the money, EUR without it",
} as const;

const amountFlags = {
  amount: optionalText("AMOUNT", "Amount in whole tokens, such as 12.50, in place of the argument"),
  currency,
};

interface AmountFlags {
  amount?: string;
  currency?: Currency;
}

const amountArgument = {
  kind: "array",
  parameter: { parse: parseText, placeholder: "amount", brief: "Amount in whole tokens, such as 12.50" },
  maximum: 1,
} as const;

/** The amount by flag or argument. @throws UsageError */
function readAmount({ amount, currency: code = "EUR" }: AmountFlags, [argument]: readonly string[]): MoveInput {
  if (amount !== undefined && argument !== undefined) throw new UsageError("Give the amount once");
  const given = amount ?? argument;
  if (given === undefined) throw new UsageError("Give an amount, such as 12.50");
  return { amount: given, currency: code };
}

const renderMove = (move: ShownMove) => renderRow(noun, noun.describeShown(move));

/** A command that moves an amount. */
const buildMove = <F extends object>(
  verb: OperatorChange,
  words: { brief: string; example: string; details?: string },
  flags: Record<keyof F, unknown> | null,
  run: (ctx: OperatorContext, input: MoveInput, flags: F) => Promise<ShownMove>,
): Command<CliContext> =>
  buildChange<AmountFlags & F, readonly string[]>({
    verb,
    ...words,
    // The library infers flags from a literal; these are put together.
    parameters: { flags: withReason({ ...amountFlags, ...flags }) as never, positional: amountArgument },
    run: async (cli, given, ...words) => {
      const data = await run(await cli.open(), readAmount(given, words), given);
      return { data, text: renderMove(data) };
    },
  });

export const treasury = buildRouteMap({
  docs: { brief: "The programme's own money: where it is, and its moves" },
  routes: {
    ...buildNounRoutes(noun),
    // Without an id it answers the programme's money, which is no row.
    show: buildVerb<object, readonly string[]>({
      verb: "treasury.show",
      brief: "Shows where the money is now, or one move",
      example: ["treasury show", "treasury show 0199d0c2"],
      parameters: {
        flags: withJson({}),
        positional: {
          kind: "array",
          parameter: { parse: parseText, placeholder: "move", brief: "Id of a move; without it, where the money is" },
          maximum: 1,
        },
      },
      run: async (cli, _, id) => {
        if (id === undefined) {
          const data = await showTreasury(await cli.open());
          return { data, text: renderTreasury(data) };
        }
        const data = await getMove(await cli.open(), { id });
        return { data, text: renderMove(data) };
      },
    }),
    // An amount may also be a flag: programs wrote it so before there was an argument.
    sweep: buildMove(
      "treasury.sweep",
      {
        brief: "Moves settled tokens from the settlement account to the treasury; a float stays for refunds",
        example: "treasury sweep 1000 --reason weekly",
      },
      null,
      (ctx, input) => sweep(ctx, input),
    ),
    redeem: buildMove<{ iban?: string; document?: string }>(
      "treasury.redeem",
      {
        brief: "Redeems tokens of the treasury: the e-money institution pays an allow-listed IBAN",
        example: ["treasury redeem 1000 --reason weekly", "treasury redeem 20000 --document 7c1f --reason weekly"].join(
          "\n  cardkeep ",
        ),
      },
      {
        iban: optionalText("IBAN", "An allow-listed IBAN; without it the issuer's funding IBAN"),
        document: optionalText("ID", "The institution's id of the supporting document, from 15,000 on"),
      },
      (ctx, input, { iban = null, document = null }) => redeem(ctx, { ...input, iban, document }),
    ),
    fund: buildMove(
      "treasury.fund",
      {
        brief: "Announces money that you send from a bank to the issuer, and prints its funding IBAN",
        example: "treasury fund 5000 --reason capital",
      },
      null,
      (ctx, input) => fund(ctx, input),
    ),
    contribute: buildMove(
      "treasury.contribute",
      {
        brief: "Moves own tokens from the treasury to the settlement account",
        example: "treasury contribute 500 --reason capital",
      },
      null,
      (ctx, input) => contribute(ctx, input),
    ),
    // Spenders, destinations and movements have no list of their own: `treasury show` has them.
    approve: buildMove<{ account?: (typeof approvingAccounts)[number] }>(
      "treasury.approve",
      {
        brief: "Sets what the spender may return of an account, in place of what is left",
        example: "treasury approve 20000 --account settlement --reason large-refund",
      },
      {
        account: {
          kind: "enum",
          values: approvingAccounts,
          optional: true,
          placeholder: "ACCOUNT",
          brief: "The account that approves, settlement without it",
        },
      },
      (ctx, input, { account = "settlement" }) => approveSpender(ctx, { ...input, account }),
    ),
    allow: buildChange({
      verb: "treasury.allow",
      brief: "Puts an IBAN or address on the allow-list; it counts a day later",
      example: "treasury allow DE89370400440532013000 --label Example-Ltd",
      parameters: {
        flags: withReason({ label: optionalText("TEXT", "Holder of the account") }),
        positional: textArgument("destination", "IBAN, or address on chain"),
      },
      run: async (cli: CliContext, { label = "" }: { label?: string }, destination: string) => {
        const data = await allowDestination(await cli.open(), { destination, label });
        return { data, text: `${data.value} counts from ${data.usableAt.toISOString()} on.\n` };
      },
    }),
    disallow: buildChange({
      verb: "treasury.disallow",
      brief: "Takes an IBAN or address off the allow-list, at once",
      example: "treasury disallow DE89370400440532013000",
      parameters: { flags: withReason({}), positional: textArgument("destination", "IBAN, or address on chain") },
      run: async (cli: CliContext, _: object, destination: string) => {
        const data = await disallowDestination(await cli.open(), { destination });
        return { data, text: `${data.value} is off the allow-list.\n` };
      },
    }),
    explain: buildChange({
      verb: "treasury.explain",
      brief: "Closes a movement of the settlement account that was not announced, and books it; give --reason",
      example: "treasury explain 0199d0c2 --account fraud-losses --reason stolen-key",
      parameters: {
        flags: withReason({
          account: {
            kind: "enum",
            values: explainedAccounts,
            optional: true,
            placeholder: "ACCOUNT",
            brief: "Where the money went in the books, capital without it",
          } as const,
        }),
        positional: textArgument("item", "Id of the movement"),
      },
      run: async (cli: CliContext, { account = "capital" }: { account?: ExplainedAccount }, id: string) => {
        const data = await explainMovement(await cli.open(), { id, account });
        return { data, text: `${data.amount} ${data.token} is explained, and booked on ${account}.\n` };
      },
    }),
  },
});
