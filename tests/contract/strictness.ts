/** The test of each row of the guide "How strict the sandbox is": its rule, the file, and the name of the test in it. */
export const proofs: readonly (readonly [rule: string, file: string, test: string])[] = [
  [
    "A request is signed over time, method, path with query, and body",
    "long/sandbox",
    "answers the identity provider's API only to signed, fresh requests with its own token",
  ],
  [
    "A person has one applicant: a second one is a conflict, also of two requests at once",
    "long/kyc-provider",
    "makes one applicant of a person: of five requests at the same time one is granted",
  ],
  ["A level exists under its exact name", "long/kyc-provider", "knows its own level alone, by its exact name"],
  [
    "Five seconds have room for 50 writes and 300 reads",
    "long/kyc-provider",
    "takes 50 writes and 300 reads in five seconds; what is more waits",
  ],
  ["A share token serves once, and ends", "api/ibans", "a share token serves once, and within its time"],
  [
    "A callback that is not taken comes again, four times",
    "long/faults",
    "that the service refuses comes again, unchanged, and its cause learns of it",
  ],
  [
    "A verdict may come late, twice, and be withdrawn",
    "long/faults",
    "arrives in any order, and after the answer of its cause",
  ],
  ["Names are in the letters of the document, and in Latin ones", "api/cards", "%s, on virtual and physical cards"],
  [
    "A request names version 2 in its header",
    "api/ibans",
    "a request without the version, or with another, is refused",
  ],
  [
    "An access token lasts an hour",
    "long/iban-provider",
    "agrees once for an IBAN that takes longer than a token lasts: each refresh token serves once",
  ],
  [
    "A refresh token serves once",
    "api/ibans",
    "an app lists its own records, by filters and one by one; a refresh token is valid once",
  ],
  [
    "A consent's code fits its own verifier and its registered address",
    "long/iban-provider",
    "is not linked by a used, old, refused, truncated or foreign link",
  ],
  [
    "An app uses the profiles that it made, a person their own",
    "api/ibans",
    "a person who agreed sees only their own records",
  ],
  [
    "A caller may not ask too often",
    "long/iban-reconciliation",
    "more profiles than the institution answers in a second, and one that it refuses, hide no order behind them",
  ],
  [
    "An address is linked by the fixed sentence, signed by the account or an owner",
    "api/ibans",
    "needs a Safe and an owner's signature of exactly this message",
  ],
  [
    "An IBAN comes by callback; the answer has none",
    "api/ibans",
    "arrives once after parallel requests, and events and the user show it",
  ],
  [
    "A subscription exists after a handshake, and sends its own types alone",
    "api/ibans",
    "a subscription whose receiver refuses the handshake is not made",
  ],
  [
    "A subscription names known types, and has a secret of 24 to 64 bytes",
    "api/ibans",
    "takes a subscription of known types, with a secret of 24 to 64 bytes, and makes one without types of two",
  ],
  [
    "A callback that is not taken comes again, ten times",
    "api/ibans",
    "a callback that is refused comes again under its id, signed anew",
  ],
  [
    "An order's message names amount and receiver, is fresh, and serves once",
    "api/emoney-sdk",
    "has an order refused whose message or signature is not right, is old or was used, or whose file is missing",
  ],
  [
    "An order of 15 000 or more needs a document",
    "api/emoney-sdk",
    "has a large order taken with its file, and rejected where the account holds too little",
  ],
  [
    "A call takes the parameters of the vendor's package, and no other",
    "unit/issuer-parameters",
    "the sandbox's issuer takes no parameter that its own package does not name",
  ],
  [
    "Names have Latin letters, spaces and four signs; a printed one at most 24",
    "api/issuer",
    "errors have the issuer's form",
  ],
  [
    "The printed name is given once",
    "long/issuer-events",
    "has no use approved, gets further cards, and a new name when the review has ended",
  ],
  [
    "A card in EUR needs a phone number, an active card a first and last name",
    "api/issuer",
    "a person without a phone number gets no card in EUR, and one without a name no active card",
  ],
  [
    "A review declines all uses, and holds fast who the person is",
    "api/issuer",
    "a person under review keeps the name, one who is blocked the status, and loses all cards",
  ],
  ["A blocked person loses all cards", "long/issuer-events", "and blocks loses every card, here as there"],
  [
    "An idempotency key keeps its first answer, failures too",
    "long/stored-failures",
    "repeats a failure of its own under its key, and does the work under another",
  ],
  [
    "The issuer declines by itself for an expired, inactive or ended card, and for the person's state",
    "api/issuer",
    "an expired card and the state of its cardholder decline a use before the service is asked",
  ],
  [
    "The issuer declines by itself for limits and merchants that a card forbids",
    "api/issuer",
    "spending controls decline a use before the service is asked, and count by the calendar of UTC",
  ],
  [
    "An empty balance declines before the service is asked",
    "api/issuer",
    "declines a use above it before the service is asked, and an increment too",
  ],
  [
    "An answer counts within two seconds, with status 200 and a version",
    "flows/card-money",
    "when our answer came too late or unreadable stands, whichever it was, and without a case where we approved too",
  ],
  [
    "An answer names a part only where the request allows it",
    "flows/authorizations",
    "is approved where the merchant takes one, and the hold is that part",
  ],
  [
    "An event that is not taken comes again",
    "api/issuer",
    "an event that the service refuses comes again, and the call that caused it succeeds",
  ],
  [
    "Events come twice, in any order, and after the answer of their call",
    "long/issuer-events",
    "of a card's life arrive twice and in any order, and both sides agree",
  ],
  [
    "Each change of a card or a person is an event, also our own",
    "long/issuer-events",
    "of a card's life arrive twice and in any order, and both sides agree",
  ],
  [
    "The events of thirty days are listed by type and time",
    "api/issuer",
    "leaves an event for thirty days, which is listed by type and time; the adapter reads all pages, oldest first",
  ],
  [
    "Number and CVC are shown of a virtual card alone",
    "api/issuer",
    "shows number and CVC of a virtual card alone, and a physical card without them",
  ],
  ["An ended card stays so; a card is shipped forward only", "api/issuer", "a card is shipped forward only"],
  [
    "Metadata has at most 50 keys of bounded length",
    "api/issuer",
    "keeps metadata by the issuer's rules, and answers with the version that was asked for",
  ],
  [
    "Twilio takes numbers in E.164 form, for its own account alone",
    "long/sandbox",
    "accepts text messages for its own account only, to existing numbers, and shows the code separately",
  ],
  [
    "AWS KMS throttles, fails and signs with either valid value",
    "long/signers",
    "is asked again after it was throttled, down, slow or hanging",
  ],
];
