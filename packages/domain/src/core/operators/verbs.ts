/**
 * The one table of what operators may do: each verb of the pages and the CLI with its roles.
 *
 * A page, a form and a command name their verb here; one without a row does not compile. `requireRole` reads the table
 * before the page or command runs, and again in the commit of a change.
 */
import { keysOf } from "@cardkeep/contract/core/keysOf";
import { type OperatorRole, operatorRoles } from "../actor.ts";

/** A row of the table. */
export interface OperatorVerbRow {
  readonly roles: readonly OperatorRole[];
  /** What it does, as a sentence without its subject. */
  readonly text: string;
  /** It changes something, so the action log records it. */
  readonly isChange: boolean;
  /** The pages ask for a reason. */
  readonly needsReason: boolean;
  /** A second person has to approve it where the settings say so. */
  readonly twoPersons: boolean;
  /** It only touches files of the machine or the sandbox, and works without a service: no role is asked for. */
  readonly isLocal: boolean;
}

type Givers = readonly Exclude<OperatorRole, "admin">[];

const plain = { isChange: false, needsReason: false, twoPersons: false, isLocal: false } as const;
/** An admin may do everything. */
const allow = (roles: Givers): readonly OperatorRole[] => [...roles, "admin"];

/** A read; without roles every role may. */
const read = (text: string, roles: readonly OperatorRole[] = operatorRoles) => ({ ...plain, roles, text }) as const;
/** A command that needs no service. */
const local = (text: string) => ({ ...plain, roles: operatorRoles, text, isLocal: true }) as const;
/** A change that does no harm when it is repeated or done by mistake. */
const change = (roles: Givers, text: string) => ({ ...plain, roles: allow(roles), text, isChange: true }) as const;
/** A change that the pages ask a reason for. */
const explained = (roles: Givers, text: string) => ({ ...change(roles, text), needsReason: true }) as const;
/** A change that a second person approves. */
const approved = (roles: Givers, text: string) => ({ ...explained(roles, text), twoPersons: true }) as const;

export const operatorVerbs = {
  "overview.show": read("Shows checks and figures of the service"),
  "search.run": read("Searches people, accounts, cards, payments and requests"),
  "lists.export": change(["support", "compliance", "finance"], "Exports a table as CSV"),
  "users.list": read("Lists users"),
  "users.show": read("Shows a user"),
  "users.deactivate": explained(["compliance"], "Deactivates a user"),
  "users.activate": explained(["compliance"], "Activates a user"),
  "users.end-access": explained(["support", "compliance"], "Ends every access token of a user"),
  "users.add-wallet": approved(["support", "compliance"], "Adds a sign-in wallet to a user who lost the others"),
  "users.remove-wallet": approved(["support", "compliance"], "Removes a sign-in wallet of a user"),
  "users.change-contact": explained(
    ["support", "compliance"],
    "Asks a user to change the mail address or phone number by a link",
  ),
  "users.withdraw-contact": explained(["support", "compliance"], "Takes back a request to change a contact"),
  "users.export": explained(["compliance"], "Exports all data of a user"),
  "users.request-erasure": explained(["support", "compliance"], "Asks compliance to erase a user"),
  "users.erase": approved(["compliance"], "Erases a user for good"),
  "users.erase-again": approved(["compliance"], "Repeats erasures after a restored backup"),
  "users.hold": explained(["compliance"], "Places a legal hold: no record of a user is erased or deleted"),
  "users.release": explained(["compliance"], "Lifts the legal hold about a user"),
  "users.risk": approved(["compliance"], "Sets the risk of a user's source of funds"),
  "questions.list": read("Lists the questions about the source of funds"),
  "questions.set": explained(["compliance"], "Replaces the questions about the source of funds"),
  "terms.list": read("Lists the terms with their current versions"),
  "terms.publish": explained(["compliance"], "Publishes a version of a document, which everybody accepts again"),
  "cards.list": read("Lists cards"),
  "cards.show": read("Shows a card"),
  "cards.freeze": explained(["support", "compliance"], "Freezes a card for its holder"),
  "cards.unfreeze": approved(["support", "compliance"], "Makes a frozen card active again for its holder"),
  "cards.lost": explained(["support", "compliance"], "Ends a card as lost for its holder"),
  "cards.stolen": explained(["support", "compliance"], "Ends a card as stolen for its holder"),
  "cards.reissue": explained(["support", "compliance"], "Ends a card and begins another one of the same kind"),
  "cards.restore": explained(["support"], "Is refused: a card that was closed after a report of fraud stays closed"),
  "wallet-tokens.list": read("Lists the wallet tokens of a card"),
  "wallet-tokens.set": explained(["support"], "Suspends, resumes or deletes a wallet token"),
  "callbacks.list": read("Lists callbacks of the card issuer"),
  "payments.list": read("Lists card payments"),
  "payments.show": read("Shows a card payment"),
  "payments.refund": approved(["finance"], "Returns money of a card payment to its Safe"),
  "payments.request-refund": explained(["support", "compliance"], "Asks finance to return money of a card payment"),
  "payments.dispute": explained(["support", "finance"], "Opens a dispute of a card payment for its holder"),
  "debts.write-off": approved(["finance"], "Gives up a debt of a card payment"),
  "holds.release": approved(["finance"], "Ends the hold of a card payment before the issuer does"),
  "disputes.list": read("Lists disputes of card payments"),
  "disputes.show": read("Shows a dispute with its evidence, without its content"),
  "disputes.submit": explained(["support", "finance"], "Submits a dispute now, complete or not"),
  "disputes.withdraw": explained(["support", "finance"], "Withdraws a dispute before its submission"),
  "disputes.credit": approved(["finance"], "Returns the money of a payment that was reported as fraud"),
  "disputes.revoke": explained(["finance"], "Withdraws the money that was returned for a report of fraud"),
  "cases.list": read("Lists cases: what needs a person"),
  "cases.show": read("Shows a case"),
  "cases.accept": approved(["finance"], "Books a thread all the same that waits as a case"),
  "cases.close": explained(["support", "compliance", "finance"], "Closes a case that was settled"),
  "rules.list": read("Lists card rules"),
  "rules.show": read("Shows a card rule with its versions and hits"),
  "rules.create": explained(["compliance", "finance"], "Creates a card rule"),
  "rules.draft": explained(["compliance", "finance"], "Adds a version to a card rule"),
  "rules.shadow": explained(["compliance", "finance"], "Records what a version of a card rule would decline"),
  "rules.activate": approved(["compliance", "finance"], "Makes a version of a card rule decline"),
  "rules.deactivate": explained(["compliance", "finance"], "Ends what a version of a card rule does"),
  "rules.delete": explained(["compliance", "finance"], "Deletes a card rule with its versions"),
  "rules.backtest": read("Tries a version of a card rule on past payments"),
  "orders.list": read("Lists card orders"),
  "orders.show": read("Shows a card order"),
  "orders.cancel": explained(["support", "finance"], "Cancels a card order"),
  "orders.return": approved(["finance"], "Returns what an order's payment brought beyond its use"),
  "coupons.list": read("Lists coupons"),
  "coupons.create": explained(["finance"], "Creates a coupon"),
  "coupons.disable": explained(["finance"], "Ends a coupon"),
  "figures.list": read("Lists figures of the programme by day, week or month"),
  "exports.list": read("Lists what can be exported"),
  "exports.run": change(["finance"], "Exports payments, clearings, debts, money by IBANs, order income or the ledger"),
  "rates.list": read("Lists reference rates"),
  "rates.import": change(["finance"], "Records reference rates of a file"),
  "delays.list": read("Lists delayed operations"),
  "delays.show": read("Shows a delayed operation"),
  "ledger.list": read("Lists ledger entries"),
  "books.list": read("Lists the closed days of the books"),
  "books.show": read("Shows the close of a day"),
  "books.export": read("Exports the postings of a closed day", allow(["finance"])),
  "books.prove": read("Writes a person's statement with its proofs", allow(["compliance", "finance"])),
  "books.close": change(["finance"], "Closes the books of the days that are over"),
  "treasury.list": read("Lists moves of the programme's own money"),
  "treasury.show": read("Shows where the programme's money is, or a move of it"),
  "treasury.sweep": approved(["finance"], "Moves settled tokens to the treasury"),
  "treasury.redeem": approved(["finance"], "Redeems tokens of the treasury to an IBAN"),
  "treasury.fund": approved(["finance"], "Announces money that is sent to the issuer"),
  "treasury.contribute": approved(["finance"], "Moves own tokens to the settlement account"),
  "treasury.approve": approved(["finance"], "Sets what the spender may return of an account"),
  "treasury.allow": approved(["finance"], "Puts an IBAN or address on the allow-list, from a day later on"),
  "treasury.disallow": approved(["finance"], "Takes an IBAN or address off the allow-list"),
  "treasury.explain": approved(["finance"], "Closes a movement of the operator's money that was not announced"),
  "treasury.give-up": explained(["finance"], "Gives up announced money that does not arrive"),
  "reconcile.report": read("Lists what the reconciliations found"),
  "reconcile.run": change(["finance"], "Begins a reconciliation"),
  "reconcile.accept": explained(["finance"], "Records that a discrepancy is settled"),
  "partners.list": read("Lists partners"),
  "partners.show": read("Shows a partner"),
  "partners.create": explained([], "Registers a partner"),
  "partners.change": approved([], "Changes where a partner receives its events"),
  "partners.rotate": approved([], "Creates a new key of a partner"),
  "partners.enable": explained([], "Enables a partner"),
  "partners.disable": approved([], "Disables a partner"),
  "deliveries.list": read("Lists deliveries"),
  "deliveries.show": read("Shows a delivery"),
  "deliveries.payload": read("Shows what a delivery carries, people's data included", allow(["support", "compliance"])),
  "deliveries.preview": read("Counts what a resending would send", allow(["support"])),
  "deliveries.resend": change(["support"], "Resends deliveries"),
  "webhooks.enable": explained(["support"], "Enables the webhook of a partner"),
  "relayers.list": read("Lists relayers"),
  "relayers.drain": explained([], "Ends new transactions of a relayer"),
  "relayers.undrain": explained([], "Lets a relayer take new transactions"),
  "relayers.sweep": explained([], "Sends the funds of a retired relayer to the treasury"),
  "keys.list": read("Lists the keys that processes hold"),
  "keys.safes": read("Lists the keys of operator and spender"),
  "keys.add": explained([], "Adds a key behind the others of its setting"),
  "keys.use": explained([], "Puts a key first in its setting"),
  "keys.remove": explained([], "Removes a key from its setting"),
  "jobs.list": read("Lists jobs"),
  "jobs.show": read("Shows a job"),
  "jobs.counts": read("Counts jobs"),
  "jobs.retry": change(["support"], "Runs a job now"),
  "jobs.retry-failed": change(["support"], "Runs the failed jobs again"),
  "chores.list": read("Lists periodic work"),
  "database.archive": explained([], "Moves months of final rows into files"),
  "database.restore": explained([], "Reads an archive back"),
  "database.distribute": explained([], "Distributes tables onto the nodes of Citus"),
  "backfills.list": read("Lists changes of many rows that migrations left to workers"),
  "backfills.pause": explained([], "Pauses a backfill after its batch"),
  "backfills.resume": explained([], "Resumes a backfill"),
  "stops.list": read("Lists the stop switches"),
  "stops.set": approved([], "Stops or resumes a part of the service"),
  "actions.list": read("Lists what operators did"),
  "actions.show": read("Shows an action with both states"),
  "actions.verify": read("Verifies the chain of the action log"),
  "actions.export": read("Exports the action log", allow(["compliance"])),
  "approvals.list": read("Lists requests that wait for a second person"),
  "approvals.show": read("Shows a request that waits or waited for a second person"),
  "operators.sign-in": change(["viewer", "support", "compliance", "finance"], "Signs in"),
  "operators.sign-out": local("Signs out at a terminal"),
  "approvals.ask": change(["support", "compliance", "finance"], "Asks a second person for an approval"),
  "approvals.approve": change(
    ["support", "compliance", "finance"],
    "Approves a request of another operator and runs it",
  ),
  "approvals.reject": explained(["support", "compliance", "finance"], "Rejects a request, or takes back one's own"),
  "approvals.expire": change([], "Ends a request without a decision after a day"),
  "operators.list": read("Lists signed-in operators", allow([])),
  "operators.end": explained([], "Ends an operator's session"),
  "doctor.run": local("Checks the installation"),
  "keys.generate": local("Writes a first set of keys and settings"),
  "manifests.write": local("Writes manifests for Kubernetes and Docker Compose"),
  "listen.run": local("Forwards deliveries of the sandbox"),
  "trigger.run": local("Makes an event happen in the sandbox"),
  "faults.list": local("Lists the faults that are on in the sandbox"),
  "faults.set": local("Switches a fault of the sandbox on"),
  "faults.clear": local("Switches faults of the sandbox off"),
  "mcp.run": local("Serves tools for assistants"),
  "where.run": local("Prints which installation the commands reach"),
  "completion.print": local("Prints the completion of a shell"),
  "start.run": local("Starts the whole program on this machine"),
  "demo.run": local("Plays one person's journey against a running start"),
  "server.run": local("Serves the API"),
  "worker.run": local("Runs jobs"),
  "migrate.run": local("Brings the database to the version of the program"),
} as const satisfies Record<string, OperatorVerbRow>;

export type OperatorVerb = keyof typeof operatorVerbs;

/** The verbs that change something: `ctx.act` takes no other. */
export type OperatorChange = {
  [V in OperatorVerb]: (typeof operatorVerbs)[V]["isChange"] extends true ? V : never;
}[OperatorVerb];

/** The verbs that a second person approves where the settings say so. */
export type TwoPersonVerb = {
  [V in OperatorVerb]: (typeof operatorVerbs)[V]["twoPersons"] extends true ? V : never;
}[OperatorVerb];

export const twoPersonVerbs = keysOf(operatorVerbs).filter(
  (verb): verb is TwoPersonVerb => operatorVerbs[verb].twoPersons,
);

/** The changes, in the order of the table. */
export const operatorChanges = keysOf(operatorVerbs).filter(
  (verb): verb is OperatorChange => operatorVerbs[verb].isChange,
);

/** Whether a word is a verb of the table. */
export const isOperatorVerb = (word: string): word is OperatorVerb => Object.hasOwn(operatorVerbs, word);

/** The row of a verb, with the types that all rows have. */
export const findVerbRow = (verb: OperatorVerb): OperatorVerbRow => operatorVerbs[verb];
