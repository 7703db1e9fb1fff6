/** Whether the shared contracts on chain are the expected ones. */
import { isExpectedCode, listDeployments } from "@cardkeep/chain/contractCode";
import type { Services } from "../../core/services.ts";

type ChainServices = Pick<Services, "chain" | "policy">;

/** What is wrong with the code of the shared contracts, a sentence for each fault. @throws ChainUnavailable */
export async function listContractFaults({ chain, policy }: ChainServices): Promise<string[]> {
  const contracts = listDeployments();
  const codes = await chain.listCode(contracts.map(({ address }) => address));
  const missing: string[] = [];
  const other: string[] = [];
  for (const [index, { name, address }] of contracts.entries()) {
    const code = codes[index] ?? null;
    if (code === null) missing.push(`${name} at ${address}`);
    else if (!isExpectedCode(name, code, policy.acceptedCode))
      other.push(`${name} at ${address} (${code.bytes} bytes, keccak256 ${code.hash})`);
  }
  return [
    ...(missing.length > 0 ? [`The chain lacks ${missing.join(", ")}: no account can be made there`] : []),
    ...(other.length > 0 ? [`The chain holds unknown code: ${other.join(", ")}. See RPC_URL and CONTRACT_CODE`] : []),
  ];
}

/**
 * What is wrong with the address of a spender, present or former; null when nothing is. @throws ChainUnavailable
 *
 * The spender must be a key. The Roles module asks a spender with code for its signature (ERC-1271). The builds of Roles in
 * packages ignore whether that call succeeded, so a wallet that reverts with the magic value has signed every spend. No
 * package holds a corrected build, so a contract is refused on every chain. Code that a key delegates to (EIP-7702) counts.
 */
export async function findSpenderFault({ chain, policy }: ChainServices): Promise<string | null> {
  const spenders = [policy.spenderAddress, ...policy.formerSpenderAddresses];
  const hasCode = await chain.hasCode(spenders);
  const contract = spenders.find((_, place) => hasCode[place]);
  if (contract === undefined) return null;
  return `${contract}, the spender, is a contract, which can let anyone spend: set SPENDER_PRIVATE_KEY to a key without code`;
}
