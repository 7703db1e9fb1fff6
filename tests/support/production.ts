/** Every setting that production asks for, with values that it takes. */
export const production = {
  NODE_ENV: "production",
  DATABASE_URL: "postgres://db.example.org/cardkeep",
  RPC_URL: "https://rpc.example.org",
  PUBLIC_URL: "https://api.example.org",
  ACCESS_TOKEN_KEYS: JSON.stringify({
    keys: [
      {
        kid: "a",
        kty: "EC",
        crv: "P-256",
        x: "etFgr4pYnkajFJBu3dY8PSemQxPJOfqlb3tMw7wfpgw",
        y: "7TMcQFvJ3peyi69J51RlHlXU3QEHOl3Bplkml9TY6is",
        d: "O6oMopn4dyZNtPwfYL2Whpys9oN6hMs6vrS4_uQThRU",
      },
    ],
  }),
  RELAYER_PRIVATE_KEYS: `0x${"11".repeat(32)}`,
  OPERATOR_PRIVATE_KEY: `0x${"22".repeat(32)}`,
  SPENDER_PRIVATE_KEY: `0x${"33".repeat(32)}`,
  TREASURY_ADDRESS: `0x${"44".repeat(20)}`,
  SETTLEMENT_ADDRESS: `0x${"55".repeat(20)}`,
  KYC_PROVIDER: "sumsub",
  KYC_APP_TOKEN: "token",
  KYC_APP_SECRET: "an app secret of our own",
  KYC_CALLBACK_SECRET: "a callback secret of our own",
  CARD_ISSUER: "stripe",
  CARD_ISSUER_API_KEY: "sk_live_of_our_own_and_long",
  CARD_ISSUER_CALLBACK_SECRETS: "whsec_of_our_own_and_long",
  MAIL_URL: "smtps://me:secret@mail.example.org",
  SMS_URL: "https://AC1:secret@api.twilio.com?from=%2B15005550006",
  CODE_PEPPER: "a pepper of our own making",
};
