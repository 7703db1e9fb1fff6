/**
 * The attacks of a hostile tester, row by row, with the tests that try them. Rows of `S` were found by this project itself.
 *
 * A test is `file: name` below this folder, with the name as in the file. `checks.test.ts` finds each of them.
 */
export interface Check {
  readonly what: string;
  readonly tests: readonly string[];
  /** A part of the attack that no test tries, and why. */
  readonly untested?: string;
}

export const checks: Readonly<Record<string, Check>> = {
  A01: {
    what: "Sign-in replay",
    tests: [
      "api/auth: fifty challenges with one nonce yield one token",
      "long/side-by-side: a sign-in on one server is valid on the other, and so are nonces",
    ],
  },
  A02: { what: "Nonce race", tests: ["api/auth: fifty challenges with one nonce yield one token"] },
  A03: {
    what: "Foreign and expired nonces",
    tests: ["api/auth: a nonce that was never issued, or that is older than ten minutes, is refused"],
  },
  A04: {
    what: "Domain binding",
    tests: ["api/auth: refuses %s, with its own code", "api/input: browsers on localhost may call, others may not"],
  },
  A05: {
    what: "Fields of the sign-in message",
    tests: ["api/auth: refuses %s, with its own code", "api/auth: refuses a message that is not strictly EIP-4361"],
  },
  A07: {
    what: "ERC-1271",
    tests: [
      "long/contract-wallets: accepts a deployed contract wallet's signature (ERC-1271), and no other wallet's",
      "long/contract-wallets: refuses an owner that the wallet has revoked, and accepts the new one",
      "long/contract-wallets: a wallet that %s is refused within 5 seconds, and affects no other caller",
      "long/contract-wallets: is 503 for contract wallets while the node is down; a key's own signature needs no node",
    ],
  },
  A09: {
    what: "Token lifetimes",
    tests: ["api/auth: refuses ttlInSeconds %p with 422", "api/auth: grants a lifetime of %p seconds"],
  },
  A10: {
    what: "Token algorithms",
    tests: ["api/tokens: alg none, HMAC with the public key, empty signature, path as kid and embedded key are 401"],
  },
  A11: {
    what: "Token claims",
    tests: [
      "api/tokens: an expired, foreign-audience, foreign-issuer or mistyped token is 401",
      "unit/settings: in production refuse every development value, a sandbox provider and a plain public address",
    ],
  },
  A12: {
    what: "Token types",
    tests: [
      "api/tokens: an expired, foreign-audience, foreign-issuer or mistyped token is 401",
      "api/input: a token without a user is 401 on all routes except sign-up",
    ],
  },
  A13: {
    what: "Removed sign-in wallet",
    tests: [
      "long/sign-in-wallets: the removed wallet's tokens end at once, the others stay valid, and it cannot sign in as the user",
      "long/sign-in-wallets: applies a removal within a second",
    ],
  },
  A15: {
    what: "OTP brute force",
    tests: ["api/auth: after five wrong codes the right one is invalid too, in parallel as well"],
  },
  A16: {
    what: "OTP reuse",
    tests: [
      "api/auth: the mailed code signs up, once",
      "api/auth: a code for one address is invalid for another",
      "api/auth: a code ends after five minutes, and a wrong length is an invalid code",
    ],
  },
  A17: {
    what: "Mail injection",
    tests: [
      "api/auth: refuses the e-mail address %p",
      "unit/smtp: reaches exactly its receiver or no mailbox, with anything around or inside an address",
    ],
  },
  A19: {
    what: "Sign-up race",
    tests: [
      "api/auth: fifty sign-ups with one e-mail create one user",
      "api/auth: fifty sign-ups of one wallet create one user",
    ],
  },
  A20: {
    what: "Mail bombing",
    tests: [
      "long/mail: a hundred parallel requests for one address send one mail, and get 429 with Retry-After",
      "long/mail: five mails an hour to one address, at any distance",
      "long/limits: that send mail are few, for any recipient",
    ],
  },
  Z01: {
    what: "Another person's ids",
    tests: [
      "long/foreign-ids: is like an unknown one to %s, byte for byte and question for question to the database, and moves no row",
      "long/foreign-ids: is known to its owner on each of these routes",
    ],
  },
  Z02: {
    what: "Another person's rows in lists",
    tests: [
      "api/delay-list: shows all Safes of a person, the older one first, and no other person's",
      "api/orders: the list is the same with the slash and without it, newest first",
    ],
  },
  Z04: {
    what: "Foreign Safe",
    tests: ["api/withdraw: another person's signature, another salt, and another person's Safe"],
  },
  Z05: {
    what: "Helpers of the sandbox in production",
    tests: [
      "unit/settings: in production refuse every development value, a sandbox provider and a plain public address",
      "unit/settings: in production refuse short secrets, partners' addresses without TLS, and every local setting",
      "api/input: an unknown route is 404 and a wrong method 405",
    ],
  },
  I01: {
    what: "Body size",
    tests: [
      "api/input: a body over 64 KiB is 413, with a length and chunked, on REST and tRPC",
      "long/killed-postgres: a hundred bodies of 10 MB at once, with their length and in chunks, are refused, free their memory, and delay no other request",
    ],
  },
  I02: { what: "Depth", tests: ["api/input: malformed JSON is 400, before authentication"] },
  I05: {
    what: "Amounts",
    tests: [
      "unit/primitives: only plain decimal digits are an amount",
      "unit/primitives: zero and numbers above a uint256 are refused",
    ],
  },
  I07: { what: "Languages", tests: ["api/input: language %p is refused"] },
  I08: {
    what: "Contract fuzz",
    tests: [
      "long/fuzz: for any request to an operation, on REST or tRPC, the answer has a documented status and shape, never a 5xx",
      "long/fuzz: a path with invalid encoding is refused like any other unknown one, never a 5xx",
    ],
  },
  O01: { what: "Double order", tests: ["api/orders: fifty in parallel make one order; the others get an error"] },
  O02: {
    what: "Idempotency",
    tests: [
      "api/idempotency: twenty parallel requests have one effect; each gets the same answer, or a 409",
      "api/idempotency: the same key with another body is 422, and nothing is written",
      "long/side-by-side: one key names one request on every server",
    ],
  },
  O03: {
    what: "Coupon race",
    tests: [
      "long/coupons: with one redemption and twenty people at once goes to one of them",
      "long/coupons: that many attach and return in parallel is counted right, and never below zero",
    ],
  },
  O04: { what: "Confirmation race", tests: ["long/order-payment: one confirmation of twenty in parallel"] },
  O05: {
    what: "Transitions of an order",
    tests: [
      "long/order-walk: for every order of actions, an order moves along the table and shows it",
      "contract/machines: with a guard begins where its machine begins, and moves past every query along the table only",
    ],
  },
  O06: {
    what: "Payment proofs",
    tests: [
      "long/order-payment: a transaction that reverted: the order has failed, and another may be made",
      "long/order-payment: a transaction that was used before",
      "long/order-payment: a transaction that lacks confirmations; the order moves later without a request, with one event",
      "long/order-reorganisation: a payment that a reorganisation drops makes nothing ready",
    ],
  },
  O07: {
    what: "Card creation cut short",
    tests: [
      "long/card-faults: the worker dies between the issuer's answer and our commit: one card at the issuer and here, and its secrets nowhere",
      "long/card-faults: an answer of the issuer is lost, with what it kept under the key, and the person changed: the next attempt finds the existing card",
    ],
  },
  O08: {
    what: "Voiding cards",
    tests: [
      "api/cards: a physical one is activated once, with a mail; frozen and unfrozen; the issuer follows",
      "api/cards: a blocked one is not activated; one of ten requests at once voids a virtual one, which stays void",
    ],
  },
  R01: {
    what: "Crash after the broadcast",
    tests: [
      "chaos/kill: kill -9 of the worker ${moment}: one enqueue on chain, and the withdrawal executes",
      "long/storm: server, workers, Postgres and node killed at random: accepted operations are enqueued and executed once, no nonce is missing",
    ],
  },
  R02: {
    what: "Crash before the broadcast",
    tests: [
      "chaos/kill: kill -9 of the worker ${moment}: one enqueue on chain, and the withdrawal executes",
      "long/storm: server, workers, Postgres and node killed at random: accepted operations are enqueued and executed once, no nonce is missing",
    ],
  },
  R03: {
    what: "Chaos",
    tests: [
      "long/storm: server, workers, Postgres and node killed at random: accepted operations are enqueued and executed once, no nonce is missing",
    ],
  },
  R04: {
    what: "Node out",
    tests: [
      "long/node-faults: is a 503 where it is needed, at once, and has no effect elsewhere",
      "long/node-faults: delays accepted operations, which are executed once after it recovers",
      "long/node-faults: a node that lags neither doubles nor loses an operation",
    ],
  },
  R05: {
    what: "Lost answer of a broadcast",
    tests: ["long/node-faults: lost answers of broadcasts use no second nonce"],
  },
  R07: {
    what: "Dropped transaction",
    tests: ["long/node-faults: a transaction that the node drops is sent again, byte for byte"],
  },
  R08: {
    what: "Fee spike",
    tests: [
      "long/node-faults: a transaction below the base fee is replaced at its nonce with the chain's present fees, and mined once",
    ],
  },
  R09: {
    what: "Reorganisations",
    tests: [
      "chaos/reorganisation: that drops an enqueue: the record goes back, the same bytes are sent again, one entry is queued",
      "chaos/reorganisation: that drops an execution: no operation stays EXECUTED without its block, and it is executed once",
    ],
  },
  R10: {
    what: "Execution by a stranger",
    tests: ["flows/relay: records an execution by a stranger with the stranger's transaction"],
  },
  R11: {
    what: "Head of line",
    tests: [
      "flows/relay: a head that the chain rejects gets the reason, is given up when it expires, and does not affect the others",
    ],
  },
  R12: {
    what: "Expiry",
    tests: ["flows/relay: skips operations that expired while the worker was down, and executes later ones"],
  },
  R13: {
    what: "Equal payloads",
    tests: [
      "flows/relay: executes several operations of one Safe in the order of their acceptance, equal ones once each",
    ],
  },
  R14: {
    what: "Salt replay",
    tests: ["api/withdraw: one signed message once, repeated and in parallel"],
  },
  R15: {
    what: "Body against signature",
    tests: [
      "api/withdraw: a body that differs from the signed one",
      "api/withdraw: another person's signature, another salt, and another person's Safe",
    ],
  },
  R18: {
    what: "Clock skew",
    tests: ["long/node-faults: executes by the chain's time alone: not early, without excess attempts, and in time"],
  },
  R19: {
    what: "Two workers",
    tests: [
      "long/side-by-side: two workers share the jobs: every operation once on chain, no nonce twice, no gap",
      "long/queue: the jobs of a dead pool are freed, those of a living pool are not",
    ],
  },
  R21: {
    what: "Gas drain",
    tests: ["api/withdraw: a quota of operations per Safe and hour: 429 above it, and other users are not affected"],
  },
  R22: {
    what: "Deployment races",
    tests: [
      "long/side-by-side: one key names one request on every server",
      "long/deploy-kill: kill -9 of the worker in each step of the older way: one Safe, set up once",
      "flows/same-account: so does a deployment after a stranger deployed all of its contracts",
    ],
  },
  R23: {
    what: "The list of operations",
    tests: [
      "api/delay-list: shows open operations after the last 100 executed, in the order of the queue, not of acceptance",
      "flows/relay: moved operations along the machine's table only",
    ],
  },
  R24: {
    what: "Balances",
    tests: [
      "api/balances: total is spendable plus pending, and pending is the sum of queued operations in the Safe's own token",
      "api/balances: is 503 with Retry-After while the node is down, never an old or invented number",
    ],
  },
  R25: {
    what: "Front-run enqueue",
    tests: ["flows/relay: finds its own bytes relayed by a stranger, and completes them once"],
  },
  P01: {
    what: "Orphan jobs",
    tests: ["long/queue: the jobs of a dead pool are freed, those of a living pool are not"],
  },
  P02: {
    what: "Restarts of Postgres",
    tests: [
      "long/killed-postgres: Postgres killed three times under load: 503 with Retry-After, recovery without help, and no acknowledged write is lost",
    ],
  },
  P03: {
    what: "Exhausted pool",
    tests: [
      "long/killed-postgres: while other sessions hold a lock that every request needs, no request waits for ever: 503 with Retry-After, and recovery afterwards",
    ],
  },
  P05: {
    what: "Worker cut off",
    tests: [
      "long/queue: the jobs of a dead pool are freed, those of a living pool are not",
      "contract/machines: makes one path along the table under parallel moves",
    ],
  },
  P06: {
    what: "Outbox",
    tests: [
      "long/webhooks: exists if and only if its change was committed, in any order of commits",
      "flows/webhooks: kill -9 of the worker during deliveries: everything arrives at least once, under the same id",
    ],
  },
  P08: {
    what: "SIGTERM",
    tests: [
      "long/rolling: on SIGTERM a server answers its open requests, closes idle connections and exits with 0, while the other serves",
      "long/queue: a clean stop during jobs leaves no locked row, and no completed job",
      "long/queue: SIGTERM in the middle of jobs finishes those that run; the others wait unlocked, with all their attempts",
    ],
  },
  P09: {
    what: "Poison jobs",
    tests: [
      "long/queue: a thousand jobs that always fail delay no others: each begins within a second of its time",
      "long/operator-cli: a failed one is listed with its error, never with secrets, and runs again after a retry",
    ],
  },
  P10: {
    what: "Restore",
    tests: [
      "long/restore: yesterday's database beside today's chain and issuer: nothing moves twice, entries without a row are reported, work continues",
    ],
  },
  W01: {
    what: "Retries",
    tests: [
      "long/webhooks: that failed twice is delivered once, with the same id, a fresh timestamp and valid signatures each time",
      "long/webhooks: is retried after 1, 5 and 15 minutes, then 1, 6 and 24 hours, and then given up",
    ],
  },
  W03: {
    what: "Isolation of endpoints",
    tests: ["long/webhooks: to one endpoint is not delayed by another that hangs"],
  },
  W05: {
    what: "Disabled and recovered",
    tests: [
      "long/webhooks: that failed for five days is disabled, with one mail to its partner; enabled again, it gets each missed event once",
      "long/webhooks: that answers 410 is disabled, and gets the kept events when it is enabled again",
    ],
  },
  W06: {
    what: "Rotation of secrets",
    tests: [
      "long/webhooks: are rotated with an overlap: both secrets sign, later the new one alone; an API key likewise",
    ],
  },
  W07: {
    what: "Sequence",
    tests: [
      "long/webhooks: of 100 events of five users, at a receiver that fails at random: no sequence has a gap, and pulled events equal pushed ones",
      "long/webhooks: of a receiver that was down for an hour arrives with all the others, and the sequence has no gap",
    ],
  },
  W08: {
    what: "Who may subscribe",
    tests: [
      "long/webhooks: starts with the issued message, signed by the user's wallet, and ends with a DELETE",
      "long/webhooks: is refused for other wallets, texts, users, partners and times",
    ],
  },
  W09: {
    what: "Content",
    tests: [
      "long/webhooks: arrives as in the catalogue, with at most 64 kB, without secrets",
      "contract/examples: of events show every kind, as a running service published it",
      "contract/examples: of the event %s fit its schema",
    ],
  },
  W10: {
    what: "Erasure",
    tests: ["long/webhooks: is not sent once the user %s, not even when it was on its way"],
  },
  X01: {
    what: "SSRF literals",
    tests: [
      "unit/webhook-sender: %s is refused at registration and at sending, without a connection",
      "unit/webhook-sender: %s is refused in production, and elsewhere where a part of this program listens",
      "long/webhooks: under another name of this machine cannot be registered; written to the database, it gets no connection, and the log names the reason",
    ],
  },
  X02: {
    what: "DNS rebinding",
    tests: [
      "unit/webhook-sender: a name whose answer changed after its registration gets no connection",
      "unit/webhook-sender: a name is resolved once before a connection, which then uses exactly the checked address",
    ],
  },
  X04: {
    what: "Open redirects",
    tests: ["api/ibans: redirects only to addresses of registered apps"],
  },
  K01: {
    what: "Forged identity callbacks",
    tests: [
      "api/kyc: a callback without the provider's own digest changes nothing: 401",
      "unit/sumsub: is never read under a forbidden algorithm, with a right digest or not",
      "api/kyc: outcomes of callbacks are counted, forged and foreign ones separately",
    ],
  },
  K02: { what: "Stale callbacks", tests: ["api/kyc: an approval that is older than a rejection does not undo it"] },
  K03: {
    what: "Duplicate callbacks",
    tests: ["api/kyc: the same callback twenty times in parallel is one change and one event"],
  },
  K05: {
    what: "Callbacks about another user",
    tests: ["api/kyc: a callback about another person's applicant is refused"],
  },
  K06: {
    what: "Forged e-money callbacks",
    tests: [
      "long/iban-provider: sends a forged, stale, repeated, late or foreign callback, nothing changes",
      "unit/monerium: is authentic exactly with the published signature, alone or among others",
    ],
  },
  K07: {
    what: "Partners out",
    tests: [
      "unit/breaker: that leaves five calls in a row unanswered gets no call for five seconds",
      "long/kyc-provider: fails or never answers, a user gets our own error; calls pause for a while, and then work again",
      "long/iban-provider: fails or hangs, a user gets our error within five seconds; calls pause, and the request completes later",
    ],
  },
  C01: {
    what: "Absence of card numbers",
    tests: [
      "long/card-faults: the worker dies between the issuer's answer and our commit: one card at the issuer and here, and its secrets nowhere",
      "long/secrets: no secret and no personal data is in a log, trace or job, in success and in failure",
    ],
  },
  C04: {
    what: "Redaction",
    tests: [
      "long/secrets: no secret and no personal data is in a log, trace or job, in success and in failure",
      "long/secrets: nor when every operation fails halfway",
      "long/iban-provider: agrees on its page, in a browser if one is installed, and has the IBAN of the existing profile",
      "long/log: neither a secret field nor a failed query's parameters reach the log",
      "long/request-id: its trace shows the request, its jobs and its chain transactions, without secrets",
    ],
  },
  G01: {
    what: "Export and erasure",
    tests: [
      "long/personal-data: is exported completely, without secrets",
      "long/personal-data: is removed from every table; kept data is listed with the reason; tokens end at once",
      "long/personal-data: every table with a user id or with personal data has an entry in export and erasure",
    ],
  },
  H01: {
    what: "Health",
    tests: [
      "long/health: without its database it is down, 503, while /livez stays 200",
      "long/health: without its node, or on another chain, it is degraded with the reason",
      "long/health: a relayer without funds, or with a gap in its nonces, degrades it by name",
    ],
  },
  H02: {
    what: "Settings",
    tests: [
      "unit/settings: name every fault at once",
      "unit/settings: refuse access token keys that cannot sign, and repeated keys",
      "unit/settings: in production refuse short secrets, partners' addresses without TLS, and every local setting",
    ],
  },
  H04: {
    what: "One id",
    tests: [
      "long/request-id: a deployment carries its request's id through rows, job, log, event, delivery and chain transaction",
      "long/request-id: withdrawals that wait for each other keep their own request's id to the end",
      "long/request-id: its trace shows the request, its jobs and its chain transactions, without secrets",
      "long/request-id: a partner's callback begins a trace that includes its jobs, and a consent page begins its own",
    ],
  },
  L01: {
    what: "Rate limits",
    tests: [
      "long/limits: share one quota over three servers and many tokens, exactly; reads and writes are separate",
      "long/limits: by programs share one quota of reads, however many tokens come and go; the user's own reads stay apart",
      "long/limits: are limited by network and operation, for any header",
      "long/limits: are separated by the address that a trusted proxy reports, and only by that",
    ],
  },
  L04: {
    what: "Cold start",
    tests: [
      "long/postgres: resumes with the same data at a second start",
      "long/demo: the demo plays the whole journey, again with another person, and links to the pages of what it made",
    ],
  },
  M01: {
    what: "Fake singleton",
    tests: [
      "long/attacks: %s: the card declines from its queueing on, the status is 2 after it ran, and no later use is approved",
      "flows/integrity: 2 after its owner replaced the Safe's code by other code",
      "chain/attacks: replaces the Safe's code: spends log success and move nothing; only the proxy's masterCopy shows it",
    ],
  },
  M02: {
    what: "Allowance given to a thief",
    tests: [
      "long/attacks: the history of every account is checked again after its records were lost",
      "unit/entry-policy: that gives a thief power by %s is a violation",
      "long/attacks: money that a thief takes between decision and spend is lost at most once: the next use is declined",
      "chain/attacks: approves a thief: the status is right, and the next spend finds an empty Safe",
      "long/account: is refused for a Safe that approved another account without a transaction of its own, and not for an approval of nothing",
      "long/account: ends without a service where the Safe approves another account before the signed set-up runs",
    ],
  },
  M03: {
    what: "Hidden module or owner",
    tests: [
      "long/attacks: if it is so slow that no node answers what it costs",
      "unit/entry-policy: that gives a thief power by %s is a violation",
      "chain/attacks: grants a module outside the list: status and masterCopy look right, and it needs no cooldown",
      "chain/attacks: grants an owner outside the list: status and masterCopy look right, and it needs no cooldown",
      "long/used-safes: is refused: the log of that transaction stays",
      "long/used-safes: gets no transaction of ours where that came after the request",
      "long/used-safes: is not taken into service where that was mined just before the set-up, and the gas counts",
      "long/used-safes: is not taken into service where the set-up ran within that transaction, whose log comes after it",
      "long/used-safes: is looked at once: one that was used before its set-up is changed, and may be reset; another one stays as it is",
      "long/used-safes: leaves the service: ours runs again, and is not the first transaction any more",
    ],
  },
  M04: {
    what: "Failed spend",
    tests: [
      "long/debts: arises when the chain rejects a spend, is reported, and is collected in parts before the card works again",
      "long/attacks: a spend that the newest block refuses on a whole account opens a case with its reason, and the card declines",
    ],
  },
  M05: {
    what: "Over-capture",
    tests: [
      "long/blocked-people: while captures that repeat paid ones wait for so much, and not for a capture beyond its hold, which is collected",
      "long/debts: of a capture far above its authorization is a case and no dispute, blocks at the issuer, and is collected after a deposit",
      "long/debts: of a capture after the authorization expired is a case of its whole amount, though no more than that was approved",
      "long/lives: random lives, half of them hostile, cost the operator no more than the bound, and every cent of it is owed",
      "api/card-transactions: moves a capture without an authorization, and a refund without a payment",
    ],
  },
  M06: {
    what: "Shedding debt",
    tests: ["long/debts: stays after the card is voided and the Safe reset, and is collected from the new Safe"],
  },
  M07: {
    what: "Standstill",
    tests: [
      "long/attacks: so all cards decline once an approved spend is unmined for a third of the cooldown",
      "long/attacks: so all cards decline while the newest block is older than that by the service's clock",
      "long/attacks: but a spend of a changed account, one that waits for the operator's word and one whose spender's key no setting names say nothing about the cards of others",
      "long/attacks: if it asks for a block of gas, and no other card notices",
      "long/attacks: if it is so slow that no node answers what it costs",
      "long/attacks: a spend that a block refuses is settled where code answers nothing within more gas than a spend has",
      "flows/batch: equal operations of one Safe, one of which fails in the transaction itself: each has its own entry",
    ],
  },
  M08: {
    what: "A limit of the owner above the service's maximum",
    tests: [
      "long/attacks: %s: the card declines from its queueing on, the status is 2 after it ran, and no later use is approved",
      "chain/attacks: sets an allowance at the Bouncer: the status is right, and the owner chose the limit",
    ],
  },
  M09: {
    what: "Fallback handler that signs everything",
    tests: [
      "unit/entry-policy: that gives a thief power by %s is a violation",
      "chain/attacks: sets a fallback handler: the status is right, and the Safe accepts every signature",
    ],
  },
  M10: {
    what: "Nonce thief",
    tests: [
      "long/foreign-nonce: before an enqueue: it is signed anew, queued once, executed once",
      "long/foreign-nonce: before an execution: it is signed anew, executed once, and later operations follow",
      "long/foreign-nonce: before a spend: it runs once",
      "long/foreign-nonce: before a return: it runs once",
      "long/foreign-nonce: two services with one set of keys: both report it, both continue, everything is executed once",
    ],
  },
  M11: {
    what: "ERC-1271 wallet that reverts with the magic value",
    tests: [
      "chain/local-delay: if the wallet is the owner itself",
      "chain/local-delay: if the owner is a genuine Safe, and the forged signature names that wallet",
      "chain/local-delay: the local Roles module accepts that wallet as its spender, so a spender must not be a contract",
    ],
  },
  M12: {
    what: "Stampede",
    tests: [
      "api/snapshots: 200 reads, 100 in parallel, of one account's balances, configuration, limit and owners ask the node once per block",
    ],
  },
  M13: {
    what: "Null characters and unpaired surrogates",
    tests: [
      "api/ill-formed-text: in every text of every route's body, and over tRPC in the same place",
      "api/ill-formed-text: in the issuer's request: the card declines, in the issuer's own form",
      "api/ill-formed-text: in all inputs of the sandbox: JSON, forms, addresses and the partners' own APIs",
      "api/ill-formed-text: by the operator's commands, in words and in files",
      "long/kyc-provider: sends text that cannot be stored, the approval waits for a valid one",
      "long/iban-provider: sends a forged, stale, repeated, late or foreign callback, nothing changes",
    ],
  },
  M14: {
    what: "Lying providers",
    tests: [
      "long/kyc-provider: returns a link without https, or a token for another user, the client gets neither",
      "long/kyc-provider: sends a birth date in the future, the approval is refused",
      "api/kyc: a callback with a future date is refused, and the next valid one counts",
      "api/issuer: accepts callbacks signed with any of our secrets, fresh ones only",
      "flows/card-money: with a known thread's id and another card, amount or currency is declined, and the first decision stands",
    ],
  },
  M15: {
    what: "Squatting",
    tests: [
      "long/sign-in-wallets: a wallet that another user added signs up for itself; the binding and its tokens end",
      "long/sign-in-wallets: a wallet that never signed in does not count as the user's",
      "long/sign-in-wallets: addresses that cannot sign for a person are refused: keys of the service, contracts of accounts, precompiles",
      "long/iban-provider: cannot be led to agree by a stranger who signed up with their address: a code proves the address first",
      "api/auth: an unproven address yields to its owner: its former holder signs in, has none and gets no mail",
      "api/auth: a proven address stays with its holder",
      "api/auth: of five sign-ups with one code, one gets the address of a holder who never proved it",
    ],
  },
  M16: {
    what: "Read-only or full database",
    tests: [
      "long/standby: a read-only database is 503 with Retry-After and named by /readyz; afterwards all recovers without help",
      "long/full-disk: writes answer 503 with Retry-After, reads go on, readyz names the disk, no acknowledged write is lost, and freed space is enough to recover",
    ],
  },
  N01: {
    what: "A limit whose clock overflows",
    tests: [
      "unit/entry-policy: that sets a limit with which the module cannot always calculate is a violation",
      "chain/limit: any six arguments of setAllowance allow by our arithmetic what the Roles module allows, and a limit always can be spent",
      "long/attacks: an entry that an older policy let pass is checked again once, and its account's card declines",
      "long/attacks: a spend that the newest block refuses on a whole account opens a case with its reason, and the card declines",
    ],
  },
  N02: {
    what: "A redeem at the e-money institution beside the card",
    tests: [
      "api/emoney-sdk: an order for a Safe that its owner's key signed is refused, and no token of the Safe is burned",
      "long/lives: random lives, half of them hostile, cost the operator no more than the bound, and every cent of it is owed",
    ],
  },
  N03: {
    what: "Gas without end",
    tests: [
      "chain/attacks: an estimate with the fees that are signed refuses a contract that burns gas only where gas has a price",
      "long/gas-budget: a wallet that burns gas in blocks is paid for up to its person's budget, and its operation is queued later",
      "long/gas-budget: a token that burns gas in blocks is tried once, and once more shortly before its entry expires",
      "long/gas-budget: one that burned its gas counts, also where the owner sends the same message behind it in the same block",
      "long/gas-budget: a Safe has one enqueue under way that its contract could refuse, and other people's are signed beside it",
      "long/attacks: a withdrawal is queued once where an owner made the relayers' keys and Multicall3 owners, which need no signature",
      "long/lives: random lives, half of them hostile, cost the operator no more than the bound, and every cent of it is owed",
    ],
  },
  N04: {
    what: "Many small captures that nothing covers",
    tests: [
      "long/blocked-people: from the stated unpaid sum of a person on, of many small captures that nothing covers; each of them is a case",
      "long/debts: of a capture far above its authorization is a case and no dispute, blocks at the issuer, and is collected after a deposit",
    ],
  },
  N05: {
    what: "Signs of clearings: a refund below zero, a capture above it, an unknown type",
    tests: [
      "unit/thread-state: come to the same in the payment, and what contradicts itself or has an unknown type is never booked",
      "api/card-transactions: a refund that the merchant takes back leaves the Safe again, and shows as a payment; a capture comes back",
      "unit/thread-state: without an authorization are a capture or a refund by their sign alone, and come to the same",
      "api/card-transactions: an unknown type, a sign against its type and a capture that comes twice move nothing, and wait as cases",
      "api/card-transactions: an answer of the issuer that cannot be read is a case of the card's person, also before there is a payment",
      "long/card-accounting: after random lives of cards the ledger, the balances, the issuer and the chain agree to the base unit, and no rule was broken",
    ],
  },
  N06: {
    what: "A blocked person",
    tests: [
      "long/blocked-people: while deactivated, rejected, rated red or stopped, in one call for all cards, and back in the former states; a frozen card stays frozen",
      "long/blocked-people: set again each hour where the issuer has another status, of a person or a card",
      "flows/card-money: while the service was stopped is booked, marked and moved on chain when it is back; a shortfall is a debt and a case",
    ],
  },
  N07: {
    what: "Verdicts of another level, and lost ones",
    tests: [
      "api/kyc-callbacks: of level %p about a %p approves nobody",
      "api/kyc-callbacks: of another level through the desk approves nobody, and the configured one does",
      "api/kyc-callbacks: that approves late counts no more than the rejection in the record, whose callback was lost",
      "long/kyc-rotation: ends with every person as the provider knows them",
      "long/kyc-rotation: a day whose callbacks of identity, issuer and institution are all lost ends as the three of them have it",
    ],
  },
  N08: {
    what: "Body before token",
    tests: [
      "api/unproven-requests: is refused before its body has arrived: %s",
      "api/unproven-requests: counts against the quota of its network, and a valid token goes on",
      "api/unproven-requests: of more values than any input has is 413, before it is parsed",
    ],
  },
  N09: {
    what: "One partner against all",
    tests: [
      "long/partner-rule-bounds: a partner's change concerns no decision about another partner's card",
      "long/partner-rule-bounds: changes of one partner have a quota, which counts no other partner",
    ],
  },
  N10: {
    what: "One human as two persons",
    tests: [
      "api/operator-approvals: is never approved by the one who asked, by the shared key, or without a role for it",
      "api/operator-approvals: is asked for by a person alone: the machine's user and the shared key may be anybody",
    ],
  },
  N11: {
    what: "Spellings of the environment",
    tests: ["unit/settings: know three words for the environment, and refuse every other spelling"],
  },
  N12: {
    what: "Rights in the database",
    tests: [
      "regression/service-role: cannot %s",
      "regression/service-role: the owner cannot truncate what has to stay either",
      "regression/service-role: by a snapshot of before to write %s",
      "regression/service-role: of the action log to write %s",
      "regression/service-role: of nonces by an update: %s",
      "api/operator-actions: finds a second row of a sequence wherever a batch of rows ends",
    ],
  },
  N13: {
    what: "Orphans: an authorization closed without a capture, an unlinked capture beside its hold, a credit without a payment",
    tests: [
      "api/card-transactions: on its last day where the issuer closed it without a capture, and not before",
      "api/card-transactions: once a capture beside it was paid that did not name it, so that the person pays once, also if its own comes later",
      "api/card-transactions: by hand, with a reason and a second person; a payment without a hold has none to release",
      "api/card-transactions: a credit without a payment above the limit waits as a case, and is paid once two operators accept it",
    ],
  },
  N14: {
    what: "Erasure and reset",
    tests: [
      "long/personal-data: is not erased during open work",
      "long/personal-data: is removed from every table; kept data is listed with the reason; tokens end at once",
      "long/personal-data: does not return with a late callback of the e-money institution",
      "api/safe: refuses a Safe that holds any of the currencies, and forgets an empty one",
      "long/personal-data: is not erased while a legal hold is open",
      "long/personal-data: is kept as the law asks: sealed with the person's key until the date of its class, then the key is destroyed",
    ],
  },
  S01: {
    what: "Operators' sign-in: replay, fixation, open redirect, forged forms, a lying provider, roles taken away",
    tests: [
      "long/operator-sign-in: counts once, within ten minutes, and in the browser that began it",
      "long/operator-sign-in: gives a new session each time, and ends the one before",
      "long/operator-sign-in: goes on only to a page of ours",
      "long/operator-sign-in: by signing out, by another operator, and by itself after an hour",
      "long/operator-sign-in: by the provider's logout token, and by no token that is forged, old, or meant for another use",
      "long/operator-sign-in: a role that was taken away is gone, and without any role the session ends",
      "long/operator-sign-in: a provider that lies signs nobody in:",
      "long/operator-sign-in: while the provider is away sessions go on, nobody signs in, and the shared key works",
      "long/operator: from another site does nothing, with any cookie",
      "long/operator-sign-in: begins in a page of its own alone: what another page embeds begins none and counts for nothing",
      "long/operator-sign-in: is open to a known browser, and to one that comes back, while a neighbour uses up the network's starts",
    ],
  },
  S02: {
    what: "Operators' tables: formulas in exports, people's data without the role, keys that stay readable",
    tests: [
      "unit/operator-tables: runs no formula in a spreadsheet, and leaves numbers as they are",
      "long/operator: show what a delivery carries to support, and to nobody who only views",
      "long/operator: show a partner, and change it behind confirmations; a new key is on one answer alone",
    ],
  },
  S04: {
    what: "A leaked token of a program: what it reads, what it changes, and how fast it ends",
    tests: [
      "long/user-tokens: every scope on every route of the table, on REST and tRPC",
      "long/user-tokens: it makes no tokens, revokes none and subscribes no partner in its user's name",
      "long/user-tokens: by its user, for the next request on every server",
      "long/user-tokens: with the sign-in of the wallet that made it, and no later request of that wallet makes another",
      "long/user-tokens: a partner's key opens the routes of its scopes alone, its successor too, and ends at its expiry",
    ],
  },
  S03: {
    what: "A queue full of expired entries, and Safes without end",
    tests: [
      "long/expired-entries: an operation behind hundreds of entries that expired at once runs, for more gas than an operation may cost",
      "long/expired-entries: violations that expired at once are skipped by one transaction",
      "long/gas-budget: an owner's own entry that wastes gas is not executed for the operator's gas: the operation behind it waits",
      "api/safe: begins no sixth Safe within a day, by either way, and says when",
      "long/attacks: a spend that a block refuses, and that the newest block would run, opens no case",
    ],
  },
  S05: {
    what: "A stolen or guessed token of the operator's API, and an assistant that a merchant's name talks into an act",
    tests: [
      "api/operator-api: only a bearer token opens it: no cookie, no wrong key, no key in the address",
      "api/operator-api: guesses of a network are limited, and calls with the right key are not",
      "api/operator-api: with an idempotency key acts once, also in parallel, and another input with the key is refused",
      "long/operator-sign-in: gets a session for its access token, with the roles of its groups, until it ends it",
      "long/operator-sign-in: is refused for a token of another audience, type or group, and its session ends with the token",
      "long/assistant: without --allow-changes no tool changes anything, and with it none decides about a request",
      "long/assistant: a payment whose merchant's name holds instructions is shown as data, and changes nothing",
      "long/assistant: text of strangers is marked as data in each answer, and an instruction in it changes nothing",
      "long/assistant: over HTTP it answers to the printed token alone",
    ],
  },
  S06: {
    what: "A statement that changes afterwards, does not add up, or runs a formula in a spreadsheet",
    tests: [
      "long/statements: a month that is over stays as it was made; what arrives late stands in the present one with its date",
      "long/statements: any split of a range has the entries and the balances of the whole",
      "long/statements: is the same on tRPC, and on REST in the form that is asked for",
      "long/statements: a month with too many lines is in volumes of bounded size, which together have all of its lines and balances",
      "long/archives: leaves once the statements that its payments count in are made: they name what moved the money",
    ],
  },
  S09: {
    what: "An export that loses or doubles a record, runs a formula, or is taken without a trace; a file that invents reference rates",
    tests: [
      "unit/exports: an export of the form %s that was cut anywhere goes on behind its last whole record",
      "unit/exports: a cell of a stranger's text is no formula, and has one line",
      "long/statements: goes on behind any record, and both parts are the whole, in each form",
      "long/statements: of clearings has the amounts of the person's statement, and no released authorization",
      "unit/reference-rates: a file that is no file of the bank is refused with the reason: %j",
      "api/operator-api: of a day to come and of no file of the bank are refused, and nothing is recorded",
    ],
  },
  S07: {
    what: "Books that are changed afterwards: a row, a removed or doubled posting, a backdated clearing, a removed day, a close made twice",
    tests: [
      "long/verifier: agrees with what is closed, and finds 1,000 of 1,000 random changes of closes and postings",
      "long/verifier: finds a person's statement in the closes, and every change of an amount, a hash, a balance, a leaf or a path",
      "long/books: have every event once, in accounts that agree with chain and issuer to the base unit",
      "long/books: stay as they were closed: a second close answers the first, and what comes late is in the next day",
      "long/books: are closed once, also by two at once, and by one after another was cut off at any chunk",
      "long/books: are found right, with a person's statement in them, by a program that knows the guide alone",
      "long/books: are exported as lines with the root, and not once a row was changed behind the triggers",
      "unit/books: come to the difference of each witness in every close of a generated year: late, backdated, doubled, missing",
    ],
  },
  S08: {
    what: "An operator who sends the programme's money elsewhere or twice, one human as two persons, a stolen spender key, money moved unseen",
    tests: [
      "long/treasury: who puts an own IBAN on the allow-list waits a day, and one human is no second person",
      "long/treasury: who asks for a redeem twice at once gets one",
      "long/treasury: with the spender's key takes no more than the approvals of a day, and then none is given",
      "long/treasury: a return beyond the approval waits as a case, until operators approve more",
      "long/treasury: an unannounced movement is one item with an age, which holds up renewals, until two persons explain it",
      "long/treasury: at any commit of a redeem, beside a second one and lost answers, leaves one order and one burn",
      "long/treasury: at any commit of a sweep, whose block is removed, moves the money once",
    ],
  },
  S10: {
    what: "A stolen access token that takes an account over in silence, and mail to the address of a stranger",
    tests: [
      "long/sign-in-wallets: a thief of an access token cannot take an account over without a word to its owner, who chose no messages",
      "long/sign-in-wallets: the warning of a wallet's first sign-in names the wallet also where it was removed at once",
      "long/sign-in-wallets: support gives an account back whose owner's wallet a thief removed, also where the owner signed up anew",
      "api/operator-approvals: is a sign-in wallet of a user, which the approver reads, and no list, log or other role has",
      "api/messages: an unproven address gets as many mails as codes, without merchant and amount; a proven one all at once",
      "long/disputes: is mailed to an unproven address as often as codes, without amount and evidence; to a proven one in words",
      "long/support: is no stranger's to know of: an unproven address gets no digits and no act, and later mails wait",
    ],
  },
};
