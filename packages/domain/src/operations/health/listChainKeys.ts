/** The operator's and the spender's keys, present and former, and how many Safes need each. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { countSafesByOperator, countSafesBySpender, type KeyUse } from "@cardkeep/db/queries/accounts/safeKeys";
import type { Services } from "../../core/services.ts";
import { type Finding, finding } from "./finding.ts";

export interface ChainKey {
  kind: "operator" | "spender";
  address: Address;
  /** Former: it came before a rotation. Missing: no setting of this process names it. */
  state: "current" | "former" | "missing";
  /** Safes that need it: for an operator those that are not set up yet, for a spender all. */
  safeCount: number;
}

/** Every key that a setting names or that a Safe needs. With `countMax`, so many Safes of a spender are counted. */
export async function listChainKeys(
  { db, policy }: Pick<Services, "db" | "policy">,
  countMax: number | null = null,
): Promise<ChainKey[]> {
  const [byOperator, bySpender] = await Promise.all([countSafesByOperator(db), countSafesBySpender(db, countMax)]);
  return [
    ...combine("operator", byOperator, policy.operatorAddress, policy.formerOperatorAddresses),
    ...combine("spender", bySpender, policy.spenderAddress, policy.formerSpenderAddresses),
  ];
}

function combine(
  kind: ChainKey["kind"],
  uses: readonly KeyUse[],
  current: Address,
  former: readonly Address[],
): ChainKey[] {
  const counts = new Map(uses.map(({ address, safeCount }) => [address, safeCount]));
  return [...new Set([current, ...former, ...counts.keys()])].map((address) => {
    const state = address === current ? "current" : former.includes(address) ? "former" : "missing";
    return { kind, address, state, safeCount: counts.get(address) ?? 0 };
  });
}

const settingOf = { operator: "FORMER_OPERATOR_PRIVATE_KEYS", spender: "FORMER_SPENDER_PRIVATE_KEYS" } as const;

/** More Safes of a key are not counted for a finding. */
const safesCountedMax = 1_000;

const formatCount = (count: number): string =>
  count > safesCountedMax ? `More than ${safesCountedMax}` : String(count);

/** No Safe needs a key that is missing. */
export async function checkChainKeys(ctx: Pick<Services, "db" | "policy">): Promise<Finding> {
  const keys = await listChainKeys(ctx, safesCountedMax + 1);
  const missing = keys.filter(({ state }) => state === "missing");
  if (missing.length > 0) {
    const faults = missing.map(
      ({ kind, address, safeCount }) =>
        `${formatCount(safeCount)} Safes need the ${kind}'s key ${address}: put it back, see ${settingOf[kind]}`,
    );
    return finding("chain keys", "fault", faults.join("; "));
  }
  const former = keys.filter(({ state }) => state === "former");
  const texts = former.map(({ kind, address, safeCount }) =>
    safeCount > 0
      ? `${formatCount(safeCount)} Safes need the ${kind}'s former key ${address}`
      : `no Safe needs the ${kind}'s former key ${address} any more`,
  );
  return finding("chain keys", "ok", texts.join("; ") || "Every Safe has the keys of the settings");
}
