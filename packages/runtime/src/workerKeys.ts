import { createRelayerKey, createSpenderKey } from "@cardkeep/chain/relayer";
import { createLocalSigner, type Signer } from "@cardkeep/chain/signer";
import type { Hex } from "@cardkeep/contract/core/primitives";
import type { WorkerKeys } from "@cardkeep/domain/core/services";
import type { SignerWatch } from "@cardkeep/domain/core/ports";
import type { Metrics } from "./metrics.ts";
import { keySettings } from "./settings/keys.ts";
import type { SignerPlace } from "./settings/signers.ts";
import { type Settings, SettingsError } from "./settings.ts";
import { createSigner } from "./signers.ts";

/**
 * The keys that only the worker uses, from settings: each in this process or at a signer.
 * @throws SettingsError naming every missing key
 */
export function createWorkerKeys(settings: Settings, report: Metrics["reportSigner"]): WorkerKeys {
  const signerWatches: SignerWatch[] = [];
  const open = (place: SignerPlace): Signer => {
    const { signer, watch } = createSigner(place, report);
    signerWatches.push(watch);
    return signer;
  };
  const create = (key: Hex | null, place: SignerPlace | null): Signer | null =>
    place === null ? key && createLocalSigner(key) : open(place);
  const createAll = (privateKeys: readonly Hex[], places: readonly SignerPlace[]): Signer[] => [
    ...privateKeys.map((key) => createLocalSigner(key)),
    ...places.map(open),
  ];
  const relayers = createAll(settings.relayerPrivateKeys, settings.relayerSigners);
  const operator = create(settings.operatorPrivateKey, settings.operatorSigner);
  const spender = create(settings.spenderPrivateKey, settings.spenderSigner);
  const topUpSigner = create(settings.topUpPrivateKey, settings.topUpSigner);
  const settlementSigner = create(settings.settlementPrivateKey, settings.settlementSigner);
  const treasurySigner = create(settings.treasuryPrivateKey, settings.treasurySigner);
  const { cardEncryptionKeys: cardKeys } = settings;
  const faults = cardKeys.length === 0 ? ["CARD_ENCRYPTION_KEY: is required by the worker"] : [];
  const { settlementAddress, treasuryAddress } = settings.policy;
  if (settlementSigner !== null && settlementSigner.address !== settlementAddress)
    faults.push(`SETTLEMENT_PRIVATE_KEY: signs for ${settlementSigner.address}, which is not SETTLEMENT_ADDRESS`);
  if (treasurySigner !== null && treasurySigner.address !== treasuryAddress)
    faults.push(`TREASURY_PRIVATE_KEY: signs for ${treasurySigner.address}, which is not TREASURY_ADDRESS`);
  const signers = [relayers[0] ?? null, operator, spender];
  for (const [place, [key, held]] of keySettings.entries())
    if (signers[place] === null) faults.push(`${key}: is required by the worker, or ${held}`);
  if (new Set(relayers.map(({ address }) => address)).size < relayers.length)
    faults.push("RELAYER_SIGNERS: must not name an address of RELAYER_PRIVATE_KEYS");
  if (operator === null || spender === null || faults.length > 0) throw new SettingsError(faults.join("\n"));
  const { formerOperators, formerSpenders } = settings;
  return {
    cardKeys,
    relayers: relayers.map(createRelayerKey),
    operator,
    spender: createSpenderKey(spender),
    formerOperators: createAll(formerOperators.privateKeys, formerOperators.signers),
    formerSpenders: createAll(formerSpenders.privateKeys, formerSpenders.signers).map(createSpenderKey),
    topUpKey: topUpSigner && createRelayerKey(topUpSigner),
    settlementKey: settlementSigner && createRelayerKey(settlementSigner),
    treasuryKey: treasurySigner && createRelayerKey(treasurySigner),
    signerWatches,
  };
}
