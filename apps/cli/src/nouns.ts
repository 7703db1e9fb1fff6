import { deskNouns } from "@cardkeep/desk/nouns";
import { partners } from "@cardkeep/desk/nouns/partners";
import { relayers } from "@cardkeep/desk/nouns/relayers";
import { payments } from "@cardkeep/desk/nouns/payments";
import { orders } from "@cardkeep/desk/nouns/orders";
import { disputes } from "@cardkeep/desk/nouns/disputes";
import { approvals } from "@cardkeep/desk/nouns/approvals";
import { callbacks } from "@cardkeep/desk/nouns/callbacks";
import { cases } from "@cardkeep/desk/nouns/cases";
import { chores } from "@cardkeep/desk/nouns/chores";
import { coupons } from "@cardkeep/desk/nouns/coupons";
import { ledger } from "@cardkeep/desk/nouns/ledger";
import { figures } from "@cardkeep/desk/nouns/figures";
import { rates } from "@cardkeep/desk/nouns/rates";
import { stops } from "@cardkeep/desk/nouns/stops";
import { walletTokens } from "@cardkeep/desk/nouns/walletTokens";
import { buildRouteMap, type RouteMap } from "@stricli/core";
import { actions } from "./actions.ts";
import { books } from "./books.ts";
import { cards } from "./cards.ts";
import { exports } from "./exports.ts";
import { debts, holds } from "./holds.ts";
import { buildCompletion } from "./completion.ts";
import type { CliContext } from "./context.ts";
import { database } from "./database.ts";
import { buildNoun, withoutActs } from "./desk.ts";
import { buildFiles } from "./deskFiles.ts";
import { delays } from "./delays.ts";
import { doctor } from "./doctor.ts";
import { faults } from "./faults.ts";
import { jobs } from "./jobs.ts";
import { keys } from "./keys.ts";
import { listen } from "./listen.ts";
import { manifests } from "./manifests.ts";
import { mcp } from "./mcp.ts";
import { operators } from "./operators.ts";
import { programCommands } from "./programs.ts";
import { questions } from "./questions.ts";
import { terms } from "./terms.ts";
import { reconcile } from "./reconcile.ts";
import { rules } from "./rules.ts";
import { search } from "./search.ts";
import { treasury } from "./treasury.ts";
import { trigger } from "./trigger.ts";
import { users } from "./users.ts";
import { webhooks } from "./webhooks.ts";
import { where } from "./where.ts";

/** Nouns that people type in another way. */
const aliases = { relayer: "relayers" } as const;

/** The commands with `--server`: those that the operator's API serves. */
export const remoteNouns: RouteMap<CliContext> = buildRouteMap<string, CliContext>({
  docs: { brief: "The operator's commands over the API of a server" },
  routes: {
    ...Object.fromEntries(deskNouns.map((noun) => [noun.name, buildNoun(noun, buildFiles(noun))])),
    books,
    treasury,
    operators,
    webhooks,
    holds,
    debts,
    mcp,
  },
  aliases,
});

/** Every noun, in the order of the help text. */
export const nouns: RouteMap<CliContext> = buildRouteMap({
  docs: {
    brief: "The operator's commands, and the programs",
    fullDescription:
      "The operator's commands, and the programs. Commands use the database and the chain of DATABASE_URL and RPC_URL,\n" +
      "or those of the `bun start` on this machine. Run them as `bun run cardkeep <noun> <verb>`.\n" +
      "--server URL works through the operator's API of an installation elsewhere instead.",
  },
  routes: {
    search,
    figures: buildNoun(figures),
    partners: buildNoun(withoutActs(partners, "enable-webhook")),
    webhooks,
    coupons: buildNoun(coupons),
    orders: buildNoun(orders),
    cards,
    "wallet-tokens": buildNoun(walletTokens),
    callbacks: buildNoun(callbacks),
    payments: buildNoun(withoutActs(payments, "release", "write-off")),
    disputes: buildNoun(disputes),
    cases: buildNoun(cases),
    holds,
    debts,
    rules,
    rates: buildNoun(rates),
    exports,
    users,
    questions,
    terms,
    delays,
    ledger: buildNoun(ledger),
    relayers: buildNoun(relayers),
    keys,
    operators,
    jobs,
    chores: buildNoun(chores),
    books,
    treasury,
    reconcile,
    actions,
    approvals: buildNoun(approvals),
    database,
    stops: buildNoun(stops),
    doctor,
    manifests,
    listen,
    trigger,
    faults,
    mcp,
    where,
    completion: buildCompletion(() => nouns),
    ...programCommands,
  },
  aliases,
});
