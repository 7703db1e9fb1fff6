import { createRelayerKey, createSpenderKey } from "@cardkeep/chain/relayer";
import type { KeyAddresses } from "@cardkeep/domain/rules";
import type { WorkerKeys } from "@cardkeep/domain/services";
import { type Settings, SettingsError } from "./settings.ts";

/**
 * The keys that only the worker holds, from settings.
 * @throws SettingsError
 */
export function createWorkerKeys(settings: Settings): WorkerKeys {
  if (settings.cardEncryptionKey === null) throw new SettingsError("CARD_ENCRYPTION_KEY: is required by the worker");
  return {
    cardKey: settings.cardEncryptionKey,
    relayers: settings.relayerPrivateKeys.map(createRelayerKey),
    operatorPrivateKey: settings.operatorPrivateKey,
    spender: createSpenderKey(settings.spenderPrivateKey),
  };
}

/** The addresses of these keys, which every process knows. */
export const buildKeyAddresses = (settings: Settings): KeyAddresses => ({
  relayerAddresses: settings.relayerPrivateKeys.map((key) => createRelayerKey(key).address),
  operatorAddress: createRelayerKey(settings.operatorPrivateKey).address,
  spenderAddress: createRelayerKey(settings.spenderPrivateKey).address,
});
