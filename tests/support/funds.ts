import { createContext } from "@cardkeep/domain/core/context";
import { compareFunds, describeShortfall, listFunds } from "@cardkeep/domain/chain/funds/compareFunds";
import type { Runtime } from "@cardkeep/runtime/compose";

const log = { info: () => {}, warn: () => {}, error: () => {} };

/** Compares ledger and chain twice, as the worker does; returns the shortfall, in words. */
export async function findShortfall({ services }: Runtime): Promise<string | null> {
  for (let count = 0; count < 2; count++) await compareFunds(createContext(services, { log, requestId: "funds" }));
  return describeShortfall(await listFunds(services), services.policy.settlementAddress);
}
