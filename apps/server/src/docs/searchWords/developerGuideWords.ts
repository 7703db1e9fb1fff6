/** Of the guides for developers: events, requests, sandbox, tests, assistants. */
export const developerGuideWords: Readonly<Record<string, string>> = {
  "/docs/guides/webhooks":
    "notify the user about a payment push notification, realtime live updates websocket streaming, callbacks to my server backend hook, websocket server-sent events listen to changes, polling vs webhooks, does my app need a server of its own, know when a payment happens, inform my backend, receive payment events in our shop system",
  "/docs/guides/webhooks#register-a-partner":
    "get an API key for the sandbox, webhook secret where do I find it, set my endpoint address URL, client id credentials of a partner whsec_ ckp_, change webhook url, lost api key new key, several environments endpoints, where do I see my partner id",
  "/docs/guides/webhooks#subscribe":
    "no events arrive for a user, user consent opt in agrees, unsubscribe stop receiving, which users, past events, subscribe to events of all users, consent screen, user did not agree, stop events of one user",
  "/docs/guides/webhooks#receive":
    "respond 200 2xx within timeout seconds, endpoint handler body payload express fastify, acknowledge slow handler",
  "/docs/guides/webhooks#verify":
    "check signature hmac sha256 ed25519, raw body secret, spoofed fake request authenticity, invalid signature in python go node php java, svix standard webhooks, replay attack timestamp tolerance, request did not come from you, express body parser raw, timing safe compare, rotate the webhook secret",
  "/docs/guides/webhooks#repetitions-order-retries":
    "webhook failed missed lost resend again, endpoint was down, duplicates deduplicate arrives twice, order of events out of order sequence, retry schedule exponential backoff, endpoint disabled paused, at least once exactly once, how long are events kept, redeliver, retry goes to the new URL after I changed it, replay yesterday's events, downtime of our server, idempotent handler, at most once, events arrive late",
  "/docs/guides/webhooks#while-you-develop":
    "receive on localhost tunnel ngrok, trigger a test event, forward like stripe listen, debug webhooks locally",
  "/docs/guides/idempotency":
    "server crashes in the middle of a payment, connection lost timeout after sending, same request two times double click twice, double order, safe retry exactly once, two requests at the same time with one key, user pressed the button twice, network timeout unknown result",
  "/docs/guides/idempotency#send-a-key": "Idempotency-Key header uuid how to add, curl post example",
  "/docs/guides/idempotency#rules":
    "how long is the key remembered 24 hours, reuse conflict 409 in progress, mismatch another body, key length",
  "/docs/guides/idempotency#the-client": "automatic retry in the npm client library",
  "/docs/guides/errors":
    "exception handling, error response format json problem details, catch failures, list of status codes, what to do when a request fails",
  "/docs/guides/errors#where-the-code-is":
    "machine readable error code X-Error-Code header, parse error body, tRPC error, translate the error message for users, show an error to users in my interface",
  "/docs/guides/errors#statuses":
    "meaning of 400 401 403 404 409 413 422 429 500 502 503, unauthorized forbidden conflict unprocessable bad gateway payload too large, 401 although I send a token, what does 422 mean, 403 on an endpoint, 409 conflict",
  "/docs/guides/errors#what-to-repeat":
    "retry policy backoff, is it safe to try again after 500 503 timeout, temporary transient error",
  "/docs/guides/errors#report-a-fault":
    "report a bug contact developers support, request id correlation trace id X-Request-Id, find my request in the logs",
  "/docs/guides/errors#quotas":
    "rate limits throttling requests per minute, how many calls are allowed, 429 retry-after, burst remaining headers, maximum requests per second, we are throttled, raise our quota, ip limit, rate limit for partners api key quota",
  "/docs/guides/pagination": "list all items page by page, limit offset cursor sort",
  "/docs/guides/pagination#card-transactions":
    "get all payments loop, page size maximum total count, infinite scroll older newest first, sort transactions by date order newest oldest, which card does a transaction belong to, get a user's transactions list javascript, duplicates missing rows while paging, history older than a year",
  "/docs/guides/pagination#what-changed":
    "incremental sync since last time delta updatedSince, mirror copy into my database warehouse, modified transactions, poll for changes instead of webhooks, keep my database in sync, only new transactions",
  "/docs/guides/pagination#filters":
    "search transactions by date category merchant currency, only last week yesterday between dates, only refunds cash, mcc filter card",
  "/docs/guides/pagination#a-partner-s-events":
    "poll events without webhooks pull feed, catch up replay since position, event log history behind firewall",
  "/docs/guides/pagination#other-lists": "list cards orders owners, exclude voided active only",
  "/docs/guides/sandbox": "test environment mock partners fake data, staging playground without real money",
  "/docs/guides/sandbox#people":
    "create test user already verified with card, seed dummy fixture customer, KYC approved rejected in the sandbox, read mail code sms inbox, test users, rejected KYC test, reset test data, fake passport, get the login code in tests",
  "/docs/guides/sandbox#time":
    "skip three minutes time travel, move the clock forward, expire wait fake timers, test time dependent code",
  "/docs/guides/sandbox#cards-and-shops":
    "test 3-D Secure challenge, foreign currency abroad test payment, simulate merchant refund reversal capture, hotel petrol subscription ATM tip scenario, fake payment terminal, test card number, test a declined payment insufficient funds, simulate a refund chargeback dispute, test contactless, test a hotel, make a fake purchase, simulate apple pay, test the dispute flow",
  "/docs/guides/sandbox#faults":
    "simulate error chaos failure injection, provider down outage of the issuer, lost duplicate callbacks, reorg, kill worker resilience, test what happens when stripe is down, slow responses, unreliable network test, webhook lost test",
  "/docs/guides/strictness":
    "difference between sandbox and real provider, does the mock behave like stripe fidelity realistic",
  "/docs/guides/strictness#see-a-refusal": "cardholder under review verification required simulate, stripe watchlist",
  "/docs/guides/strictness#identity-provider-sumsub":
    "sumsub sandbox applicant webhook signature level, KYC rate limit, test documents liveness",
  "/docs/guides/strictness#e-money-institution-monerium":
    "sandbox monerium access token refresh, order document 15000, link address handshake",
  "/docs/guides/strictness#card-issuer-stripe-issuing":
    "stripe issuing cardholder requirements, name too long accents umlaut characters 24 embossed, PO box postbox, stripe rate limit, metadata",
  "/docs/guides/strictness#text-messages-mail-and-signers":
    "twilio phone format E.164, aws kms throttling mock, mailbox smtp",
  "/docs/guides/testing":
    "integration test automated QA end to end e2e, unit mock, write automated tests against the service",
  "/docs/guides/testing#start-an-instance":
    "jest vitest playwright cypress, install testing package, parallel test files",
  "/docs/guides/testing#share-one-instance":
    "global setup reuse one server for all test files, connect tests to a running sandbox",
  "/docs/guides/testing#arrange-act-look": "assert expect wait for event, helper methods example test",
  "/docs/guides/testing#rules-that-keep-tests-stable": "flaky tests random failures, isolation sleep race",
  "/docs/guides/testing#in-ci":
    "run tests in github actions gitlab jenkins circleci pipeline, continuous integration yaml docker runner, run the stack in a github action, headless test pipeline",
  "/docs/guides/assistants": "copilot claude cursor chatgpt ai agent tools, llms.txt MCP server, bot automation",
  "/docs/guides/assistants#start-it":
    "configure mcp.json vscode claude desktop, hide personal data from the ai, read only assistant flags",
  "/docs/guides/assistants#what-it-can-do": "may an AI refund approve delete people, limits of the assistant",
  "/docs/guides/assistants#text-of-strangers": "prompt injection malicious instructions, security of ai",
  "/docs/guides/assistants#build-a-withdrawal": "let an ai agent send money agentic payment",
};
