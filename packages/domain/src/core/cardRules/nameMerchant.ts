import type { UseFacts } from "./compileRule.ts";

/** How a merchant is recognised: by its id in the network, otherwise by its name; null without both. */
export const nameMerchant = ({ merchantNetworkId, merchantName }: UseFacts): string | null =>
  merchantNetworkId ?? merchantName?.trim().toLowerCase() ?? null;
