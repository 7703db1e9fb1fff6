import { createRelayerKey, createSpenderKey } from "@cardkeep/chain/relayer";
import type { KeyAddresses } from "@cardkeep/domain/rules";
import type { WorkerKeys } from "@cardkeep/domain/services";
import { type Settings, SettingsError } from "./settings.ts";

/**
 * The keys that only the worker holds, from settings.
 * @throws SettingsError naming every missing key
 */
export function createWorkerKeys(settings: Settings): WorkerKeys {
  const { cardEncryptionKey, relayerPrivateKeys, operatorPrivateKey, spenderPrivateKey } = settings;
  const faults = Object.entries({
    CARD_ENCRYPTION_KEY: cardEncryptionKey,
    RELAYER_PRIVATE_KEYS: relayerPrivateKeys[0] ?? null,
    OPERATOR_PRIVATE_KEY: operatorPrivateKey,
    SPENDER_PRIVATE_KEY: spenderPrivateKey,
  }).flatMap(([name, key]) => (key === null ? [`${name}: is required by the worker`] : []));
  if (cardEncryptionKey === null || operatorPrivateKey === null || spenderPrivateKey === null || faults.length > 0)
    throw new SettingsError(faults.join("\n"));
  return {
    cardKey: cardEncryptionKey,
    relayers: relayerPrivateKeys.map(createRelayerKey),
    operatorPrivateKey,
    spender: createSpenderKey(spenderPrivateKey),
  };
}

/**
 * The addresses of these keys, which every process knows. A process with a key does not read its address from the settings.
 * @throws SettingsError
 */
export function buildKeyAddresses({
  relayerPrivateKeys: relayers,
  operatorPrivateKey: operator,
  spenderPrivateKey: spender,
  keyAddresses: given,
}: Settings): KeyAddresses {
  const operatorAddress = operator === null ? given.operator : createRelayerKey(operator).address;
  const spenderAddress = spender === null ? given.spender : createRelayerKey(spender).address;
  if (operatorAddress === undefined || spenderAddress === undefined)
    throw new SettingsError("OPERATOR_ADDRESS and SPENDER_ADDRESS: are required without their keys");
  return {
    relayerAddresses: relayers.length === 0 ? given.relayers : relayers.map((key) => createRelayerKey(key).address),
    operatorAddress,
    spenderAddress,
  };
}
