/** The currencies of accounts and cards, ISO 4217; each has a token and two decimals. */
export const currencies = ["EUR", "GBP", "USD"] as const;
export type Currency = (typeof currencies)[number];

const known: ReadonlySet<string> = new Set(currencies);

/** Whether a code is one of the currencies. */
export const isCurrency = (code: string): code is Currency => known.has(code);

/** Decimals of each of them. */
export const centDecimals = 2;
