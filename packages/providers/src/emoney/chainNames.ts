/** The institution's names of chains, by chain id. */
const chains: Readonly<Record<number, string>> = {
  1: "ethereum",
  100: "gnosis",
  137: "polygon",
  8453: "base",
  42161: "arbitrum",
  59144: "linea",
  10200: "chiado",
  11155111: "sepolia",
};

/** The institution's name of a chain; one that it refuses for any other chain. */
export const nameChain = (chainId: number): string => chains[chainId] ?? `chain-${chainId}`;
