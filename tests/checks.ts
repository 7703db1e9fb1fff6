/**
 * What a hostile tester will try, row by row, and the tests that try it first.
 *
 * A test is `file: name` below this folder; the name as it stands in the file. `checks.test.ts` finds each of them.
 */
export interface Check {
  readonly what: string;
  readonly tests: readonly string[];
}

export const checks: Readonly<Record<string, Check>> = {
  A01: {
    what: "Sign-in replay",
    tests: [
      "api/auth: fifty challenges with one nonce give one token",
      "flows/side-by-side: who signed in on one server is known on the other, nonces included",
    ],
  },
  A02: { what: "Nonce race", tests: ["api/auth: fifty challenges with one nonce give one token"] },
  A03: {
    what: "Foreign and expired nonces",
    tests: ["api/auth: a nonce that was never issued, or that is older than ten minutes, is refused"],
  },
  A04: {
    what: "Domain binding",
    tests: [
      "api/auth: refuses %s, with a code that says so",
      "api/input: browsers on localhost may call, others may not",
    ],
  },
  A05: {
    what: "Fields of the sign-in message",
    tests: [
      "api/auth: refuses %s, with a code that says so",
      "api/auth: refuses a message that is not EIP-4361 to the letter",
    ],
  },
  A07: {
    what: "ERC-1271",
    tests: [
      "api/contract-wallets: takes a deployed contract wallet's signature (ERC-1271), and nobody else's for it",
      "api/contract-wallets: refuses an owner that the wallet has revoked, and takes the one it has instead",
      "api/contract-wallets: a wallet that %s is refused within 5 seconds, and hurts nobody else",
      "api/contract-wallets: is 503 for contract wallets while the node is down; a key's own signature needs no node",
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
      "api/input: a token without a user is 401 on everything but sign-up",
    ],
  },
  A13: {
    what: "Removed sign-in wallet",
    tests: [
      "api/sign-in-wallets: the removed wallet's tokens end at once, the others live, and it cannot sign in as the user",
      "api/sign-in-wallets: learns of a removal within a second",
    ],
  },
  A15: { what: "OTP brute force", tests: ["api/auth: five wrong codes lock even the right one, in parallel too"] },
  A16: {
    what: "OTP reuse",
    tests: [
      "api/auth: the mailed code signs up, once",
      "api/auth: a code for one address is nothing for another",
      "api/auth: a code ends after five minutes, and a wrong length is an invalid code",
    ],
  },
  A17: {
    what: "Mail injection",
    tests: [
      "api/auth: refuses the e-mail address %p",
      "unit/smtp: reaches exactly the receiver it was given or nobody, whatever is put around or into an address",
    ],
  },
  A19: {
    what: "Sign-up race",
    tests: [
      "api/auth: fifty sign-ups with one e-mail give one user",
      "api/auth: fifty sign-ups of one wallet give one user",
    ],
  },
  A20: {
    what: "Mail bombing",
    tests: [
      "api/mail: a hundred requests for one address at once are one mail, and 429 with Retry-After",
      "api/mail: five mails an hour to one address, however far apart",
      "api/limits: that make it send mail are few, for whomever",
    ],
  },
  Z01: {
    what: "Another person's ids",
    tests: [
      "api/foreign-ids: is like an unknown one to %s, byte for byte and question for question to the database, and moves no row",
      "api/foreign-ids: is not unknown to its owner on any of these routes",
    ],
  },
  Z02: {
    what: "Another person's rows in lists",
    tests: [
      "api/delay-list: tells of each Safe that a person had, the older one first, and nothing of anybody else's",
      "api/orders: the list is the same with the slash and without it, newest first",
    ],
  },
  Z04: {
    what: "Foreign Safe",
    tests: ["api/withdraw: somebody else's signature, another salt, and somebody else's Safe"],
  },
  Z05: {
    what: "Helpers of the sandbox in production",
    tests: [
      "unit/settings: in production refuse every development value, a sandbox provider and a plain public address",
      "unit/settings: in production refuse short secrets, plain addresses of partners, and whatever is for one's own machine",
      "api/input: an unknown route is 404 and a wrong method 405",
    ],
  },
  I01: {
    what: "Body size",
    tests: [
      "api/input: a body over 64 KiB is 413, with a length and chunked, on REST and tRPC",
      "chaos/postgres: a hundred bodies of 10 MB at once, with their length and in chunks, are refused, leave no memory taken, and nobody waits for them",
    ],
  },
  I02: { what: "Depth", tests: ["api/input: malformed JSON is 400, before anybody asks who is calling"] },
  I05: {
    what: "Amounts",
    tests: [
      "unit/primitives: no text but plain decimal digits is an amount",
      "unit/primitives: zero and what no uint256 can hold are refused",
    ],
  },
  I07: { what: "Languages", tests: ["api/input: language %p is refused"] },
  I08: {
    what: "Contract fuzz",
    tests: [
      "fuzz/fuzz: whatever is sent to an operation, on REST or tRPC, it answers one of the statuses and shapes that the document promises, never a 5xx",
      "fuzz/fuzz: a path that is no text is refused like any other unknown one, never a 5xx",
    ],
  },
  O01: { what: "Double order", tests: ["api/orders: fifty at once make one order; the others are told so"] },
  O02: {
    what: "Idempotency",
    tests: [
      "api/idempotency: twenty at once are one effect; each is answered the same, or told that it is in progress",
      "api/idempotency: the same key with another body is 422, and nothing is written",
      "flows/side-by-side: one key names one request on whichever server it arrives",
    ],
  },
  O03: {
    what: "Coupon race",
    tests: [
      "api/coupons: with one redemption and twenty people at once goes to one of them",
      "api/coupons: that many attach and give back at once is counted right, and never below zero",
    ],
  },
  O04: { what: "Confirmation race", tests: ["api/order-payment: one confirmation of twenty at once"] },
  O05: {
    what: "Transitions of an order",
    tests: [
      "flows/order-walk: whatever somebody does in whatever order, an order goes where the table says and answers accordingly",
      "contract/order-machine: lets an order in %s go where the table says, and nowhere else",
    ],
  },
  O06: {
    what: "Payment proofs",
    tests: [
      "api/order-payment: a transaction that reverted: the order has failed, and another may be made",
      "api/order-payment: a transaction that is used up",
      "api/order-payment: a transaction that lacks confirmations; then the order moves by itself, and says so once",
      "chaos/order-reorganisation: a payment that a reorganisation drops makes nothing ready",
    ],
  },
  O07: {
    what: "Card creation cut short",
    tests: [
      "chaos/cards: the worker dies between the issuer's answer and our commit: one card at the issuer and here, and its secrets nowhere",
      "chaos/cards: an answer of the issuer is lost, and with it what it kept under the key, and the person changed: the next try finds the card that is there",
    ],
  },
  O08: { what: "Voiding cards", tests: ["api/cards: a blocked one is not activated; a virtual one is void for good"] },
  R01: {
    what: "Crash after the broadcast",
    tests: [
      "chaos/storm: server, workers, Postgres and node killed at random: what was accepted is enqueued and executed once, no nonce is missing",
    ],
  },
  R02: {
    what: "Crash before the broadcast",
    tests: [
      "chaos/storm: server, workers, Postgres and node killed at random: what was accepted is enqueued and executed once, no nonce is missing",
    ],
  },
  R03: {
    what: "Chaos",
    tests: [
      "chaos/storm: server, workers, Postgres and node killed at random: what was accepted is enqueued and executed once, no nonce is missing",
    ],
  },
  R04: {
    what: "Node out",
    tests: [
      "chaos/rpc: is told as 503 where it is needed, without waiting for it, and not at all where it is not",
      "chaos/rpc: delays what was accepted, which is carried out once when it is well again",
      "chaos/rpc: a node that lags behind neither doubles nor loses an operation",
    ],
  },
  R05: {
    what: "Lost answer of a broadcast",
    tests: ["chaos/rpc: answers of broadcasts that are lost cost no second nonce"],
  },
  R07: {
    what: "Dropped transaction",
    tests: ["chaos/rpc: a transaction that the node drops is sent again, byte for byte"],
  },
  R08: {
    what: "Fee spike",
    tests: [
      "chaos/rpc: a transaction below the base fee is replaced at its nonce with what the chain asks, and mined once",
    ],
  },
  R09: {
    what: "Reorganisations",
    tests: [
      "chaos/reorganisation: that drops an enqueue: the record goes back, the same bytes are sent again, one entry is queued",
      "chaos/reorganisation: that drops an execution: nothing stays EXECUTED without its block, and it is executed once",
    ],
  },
  R10: {
    what: "Execution by a stranger",
    tests: ["flows/relay: records an execution by a stranger with the stranger's transaction"],
  },
  R11: {
    what: "Head of line",
    tests: [
      "flows/relay: a head that the chain refuses is told why, given up when it expires, and does not take the others along",
    ],
  },
  R12: {
    what: "Expiry",
    tests: ["flows/relay: skips what expired while nobody was there, and executes what came after"],
  },
  R13: {
    what: "Equal payloads",
    tests: [
      "flows/relay: executes several operations of one Safe in the order of their acceptance, equal ones each once",
    ],
  },
  R14: {
    what: "Salt replay",
    tests: ["api/withdraw: one signed message once, however often and however parallel it comes"],
  },
  R15: {
    what: "Body against signature",
    tests: [
      "api/withdraw: a body that differs from what was signed",
      "api/withdraw: somebody else's signature, another salt, and somebody else's Safe",
    ],
  },
  R18: {
    what: "Clock skew",
    tests: ["chaos/rpc: dispatches by the chain's time alone: not early, without a storm, and in time"],
  },
  R19: {
    what: "Two workers",
    tests: [
      "flows/side-by-side: two workers share the jobs: every operation once on chain, no nonce twice, none left out",
      "regression/queue: the jobs of a dead pool are freed, those of a living pool are not",
    ],
  },
  R21: {
    what: "Gas drain",
    tests: ["api/withdraw: a quota of operations per Safe and hour: 429 beyond, and others are not affected"],
  },
  R22: {
    what: "Deployment races",
    tests: [
      "flows/side-by-side: one key names one request on whichever server it arrives",
      "chaos/deploy: kill -9 of the worker in each step of the older way: one Safe, set up once",
      "flows/same-account: so does a deployment whose every contract a stranger deployed first",
    ],
  },
  R23: {
    what: "The list of operations",
    tests: [
      "api/delay-list: tells what is open after the last 100 executed, in the queue's order and not in that of acceptance",
      "flows/relay: never moved an operation but along the machine's table",
    ],
  },
  R24: {
    what: "Balances",
    tests: [
      "api/balances: total is spendable plus pending, and pending the sum of what is queued in the Safe's own token",
      "api/balances: is 503 with Retry-After while the node is down, never an old or a made-up number",
    ],
  },
  R25: {
    what: "Front-run enqueue",
    tests: ["flows/relay: finds its own bytes relayed by a stranger, and sees them through once"],
  },
  P01: {
    what: "Orphan jobs",
    tests: ["regression/queue: the jobs of a dead pool are freed, those of a living pool are not"],
  },
  P02: {
    what: "Restarts of Postgres",
    tests: [
      "chaos/postgres: Postgres ended at once, three times, under load: 503 with Retry-After meanwhile, well by itself, nothing that was answered is lost",
    ],
  },
  P03: {
    what: "Exhausted pool",
    tests: [
      "chaos/postgres: while others hold what every request needs, nobody waits for ever: 503 with Retry-After, the process lives, and is well afterwards",
    ],
  },
  P05: {
    what: "Worker cut off",
    tests: [
      "regression/queue: the jobs of a dead pool are freed, those of a living pool are not",
      "contract/machines: moves at the same time make one path along the table",
    ],
  },
  P06: {
    what: "Outbox",
    tests: [
      "api/webhooks: exists if and only if what it reports was committed, whichever commit comes first",
      "flows/webhooks: kill -9 of the worker in mid-delivery: everything arrives at least once, under the same id",
    ],
  },
  P08: {
    what: "SIGTERM",
    tests: [
      "flows/rolling: on SIGTERM a server answers what it was asked, lets idle connections go and ends with 0, while the other serves",
      "regression/queue: a clean stop in mid-job leaves no locked row, and no completed job behind",
      "regression/queue: SIGTERM ends a worker process with code 0 and leaves no locked row",
    ],
  },
  P09: {
    what: "Poison jobs",
    tests: [
      "regression/queue: a thousand jobs that always fail hold up no others: each begins within a second of when it would have",
      "cli/operator: one that was given up is listed with its error, never with what is secret, and runs again when told to",
    ],
  },
  P10: {
    what: "Restore",
    tests: [
      "chaos/restore: yesterday's database beside today's chain and issuer: nothing is moved twice, what has no row is found and told, work goes on",
    ],
  },
  W01: {
    what: "Retries",
    tests: [
      "api/webhooks: that failed twice is delivered once, with the same id, a fresh timestamp and valid signatures each time",
      "api/webhooks: is retried after 1, 5 and 15 minutes, then 1, 6 and 24 hours, and then given up",
    ],
  },
  W03: {
    what: "Isolation of endpoints",
    tests: ["api/webhooks: to one endpoint is not held up by another that hangs"],
  },
  W05: {
    what: "Disabled and recovered",
    tests: [
      "api/webhooks: that failed for five days is disabled, with one mail to its partner; enabled again, it gets each missed event once",
      "api/webhooks: that answers 410 is disabled, and gets what was kept back when it is enabled again",
    ],
  },
  W06: {
    what: "Rotation of secrets",
    tests: [
      "api/webhooks: are rotated with an overlap: both secrets sign, later the new one alone; an API key likewise",
    ],
  },
  W07: {
    what: "Sequence",
    tests: [
      "api/webhooks: of 500 events of five users, at a receiver that fails at random: no sequence has a gap, and what is pulled is what was pushed",
      "api/webhooks: of a receiver that was down for an hour arrives with all the others, and the sequence has no gap",
    ],
  },
  W08: {
    what: "Who may subscribe",
    tests: [
      "api/webhooks: begins with the message that was issued, signed by the user's wallet, and ends with a DELETE",
      "api/webhooks: is refused for other wallets, texts, users, partners and times",
    ],
  },
  W09: {
    what: "Content",
    tests: [
      "api/webhooks: arrives as the catalogue has it, in 64 kB at most, with nothing that opens doors",
      "contract/examples: of events show every kind, as a real service published it",
      "contract/examples: of the event %s fit its schema",
    ],
  },
  W10: {
    what: "Erasure",
    tests: ["api/webhooks: is not sent once the user %s, not even when it was on its way"],
  },
  X01: {
    what: "SSRF literals",
    tests: [
      "unit/webhook-sender: %s is refused when it is registered and when it is sent to, and nobody connects",
      "api/webhooks: on this machine is refused when it is registered; put there past that, it gets no connection, and the log says why",
    ],
  },
  X02: {
    what: "DNS rebinding",
    tests: [
      "unit/webhook-sender: a name whose answer changes after it was registered is not connected to",
      "unit/webhook-sender: a name is asked once before a connection, which then goes to the very address that was checked",
    ],
  },
  X04: {
    what: "Open redirects",
    tests: ["api/ibans: goes on to no address but those of apps that may sign people in"],
  },
  K01: {
    what: "Forged identity callbacks",
    tests: [
      "api/kyc: a callback without the provider's own digest changes nothing: 401",
      "unit/sumsub: is never read under an algorithm that is not allowed, its digest right or not",
      "api/kyc: what came of callbacks is counted, the forged and the foreign apart",
    ],
  },
  K02: { what: "Stale callbacks", tests: ["api/kyc: an approval that is older than a rejection does not undo it"] },
  K03: {
    what: "Duplicate callbacks",
    tests: ["api/kyc: the same callback twenty times at once is one change and one event"],
  },
  K05: {
    what: "Callbacks about another user",
    tests: ["api/kyc: a callback about somebody else's applicant is refused"],
  },
  K06: {
    what: "Forged e-money callbacks",
    tests: [
      "api/iban-provider: that is forged, stale, repeated, late or about somebody else changes nothing",
      "unit/monerium: counts as authentic exactly with the published signature, alone or among others",
    ],
  },
  K07: {
    what: "Partners out",
    tests: [
      "unit/breaker: that leaves five calls in a row unanswered is not asked for five seconds",
      "api/kyc-provider: fails or never answers, a user hears so in our words; it is spared for a while, and then works again",
      "api/iban-provider: fails or hangs, a user hears so within five seconds and in our words; it is spared, and then what was asked for comes",
    ],
  },
  C01: {
    what: "Absence of card numbers",
    tests: [
      "chaos/cards: the worker dies between the issuer's answer and our commit: one card at the issuer and here, and its secrets nowhere",
    ],
  },
  C04: {
    what: "Redaction",
    tests: [
      "flows/secrets: what opens doors and what names people is in no log, no trace and no job, in success and in failure",
      "flows/secrets: nor is it when every operation fails in its middle",
      "api/iban-provider: agrees on its page, clicked in a browser where there is one, and has the IBAN of the profile from before",
      "unit/log: neither a secret field nor a failed query's parameters reach the log",
      "flows/request-id: its trace tells of the request, its jobs and its chain transactions, and of nobody's secrets",
    ],
  },
  G01: {
    what: "Export and erasure",
    tests: [
      "cli/personal-data: is exported whole, and opens no door",
      "cli/personal-data: is gone once erased, in every table; what is kept is listed with the reason; tokens end at once",
      "cli/personal-data: every table that names its user, or holds what people are called or reached by, has its place in export and erasure",
    ],
  },
  H01: {
    what: "Health",
    tests: [
      "api/health: without its database it is down, 503, while /livez stays 200",
      "api/health: without its node, or on another chain, it is degraded with the reason",
      "api/health: a relayer without funds, or with a hole in its nonces, degrades it by name",
    ],
  },
  H02: {
    what: "Settings",
    tests: [
      "unit/settings: name every fault at once",
      "unit/settings: refuse access token keys that sign nothing, and keys that are there twice",
      "unit/settings: in production refuse short secrets, plain addresses of partners, and whatever is for one's own machine",
    ],
  },
  H04: {
    what: "One id",
    tests: [
      "flows/request-id: a deployment carries its request's id through rows, job, log, event, delivery and chain transaction",
      "flows/request-id: withdrawals that wait behind each other keep their own request's id to the end",
      "flows/request-id: its trace tells of the request, its jobs and its chain transactions, and of nobody's secrets",
      "flows/request-id: a partner's callback begins a trace that goes on in the jobs that it starts, and the page of a consent one of its own",
    ],
  },
  L01: {
    what: "Rate limits",
    tests: [
      "api/limits: share one quota over three servers and many tokens, exactly, and reads another than writes",
      "api/limits: are limited by network and operation, whatever a header says",
      "api/limits: are told apart by what a trusted proxy says, and by nothing that was said to it",
    ],
  },
  L04: {
    what: "Cold start",
    tests: [
      "regression/postgres: resumes with the same data at a second start",
      "flows/demo: the demo plays the whole journey, and again with others",
    ],
  },
  M10: {
    what: "Nonce thief",
    tests: [
      "flows/foreign-nonce: before an enqueue: it is signed anew, queued once, executed once",
      "flows/foreign-nonce: before a dispatch: it is signed anew, executed once, and what waits behind it follows",
      "flows/foreign-nonce: before a spend: it runs once",
      "flows/foreign-nonce: before a return: it runs once",
      "flows/foreign-nonce: two services with one set of keys: each notices, each goes on, everything is executed once",
    ],
  },
  M13: {
    what: "Null characters and unpaired surrogates",
    tests: [
      "api/ill-formed-text: in every text of every route's body, and by tRPC in the same place",
      "api/ill-formed-text: in the issuer's request: the card is declined, and the issuer hears so in its own form",
      "api/ill-formed-text: by every door of the sandbox: JSON, forms, addresses and the partners' own APIs",
      "api/ill-formed-text: by the operator's commands, in words and in files",
      "api/kyc-provider: writes text that cannot be stored, the approval waits for a true one",
      "api/iban-provider: that is forged, stale, repeated, late or about somebody else changes nothing",
    ],
  },
  M14: {
    what: "Lying providers",
    tests: [
      "api/kyc-provider: answers a link that is not https, or a token for another user, the client gets neither",
      "api/kyc-provider: says that the person is not born yet, the approval is refused",
      "api/kyc: a callback dated ahead of the service's clock is refused, and the next true one counts",
      "api/issuer: takes callbacks that the issuer's package signed with any of our secrets, fresh ones only",
      "flows/card-money: with a known thread's id and another card, amount or currency is declined, and the first decision stands",
    ],
  },
  M15: {
    what: "Squatting",
    tests: [
      "api/sign-in-wallets: a wallet that somebody else added signs up for itself; the binding and its tokens end",
      "api/sign-in-wallets: a wallet that never signed in keeps nobody in, and counts as nobody's",
      "api/sign-in-wallets: addresses that cannot sign for a person are refused: keys of the service, contracts of accounts, precompiles",
      "api/iban-provider: is not led to agree by somebody who signed up with that person's address, which a code proves first",
    ],
  },
};
