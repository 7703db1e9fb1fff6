/** The currencies of accounts and cards, ISO 4217; each has a token and two decimals. */
export const currencies = ["EUR", "GBP", "USD"] as const;
export type Currency = (typeof currencies)[number];
