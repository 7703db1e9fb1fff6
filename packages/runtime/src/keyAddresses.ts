import { createLocalSigner } from "@cardkeep/chain/signer";
import type { Address, Hex } from "@cardkeep/contract/primitives";
import type { KeyAddresses } from "@cardkeep/domain/rules";
import type { SignerPlace } from "./settings/signers.ts";
import { type Settings, SettingsError } from "./settings.ts";

/**
 * The addresses of the keys of the chain, which every process knows. A process with a key or signer does not read its address from the
 * settings.
 * @throws SettingsError
 */
export function buildKeyAddresses(settings: Settings): KeyAddresses {
  const { keyAddresses: given } = settings;
  const find = (key: Hex | null, place: SignerPlace | null, address: Address | undefined): Address | undefined =>
    place?.address ?? (key === null ? address : createLocalSigner(key).address);
  const operatorAddress = find(settings.operatorPrivateKey, settings.operatorSigner, given.operator);
  const spenderAddress = find(settings.spenderPrivateKey, settings.spenderSigner, given.spender);
  if (operatorAddress === undefined || spenderAddress === undefined)
    throw new SettingsError("OPERATOR_ADDRESS and SPENDER_ADDRESS: are required without their keys");
  const relayers = [
    ...settings.relayerPrivateKeys.map((key) => createLocalSigner(key).address),
    ...settings.relayerSigners.map(({ address }) => address),
  ];
  return { relayerAddresses: relayers.length === 0 ? given.relayers : relayers, operatorAddress, spenderAddress };
}
