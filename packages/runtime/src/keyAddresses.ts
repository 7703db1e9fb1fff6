import { createLocalSigner } from "@cardkeep/chain/signer";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import type { KeyAddresses } from "@cardkeep/domain/core/policy";
import type { SignerPlace } from "./settings/signers.ts";
import { type Settings, SettingsError } from "./settings.ts";

/** The address of a private key of the chain. */
export const addressOfKey = (key: Hex): Address => createLocalSigner(key).address;

/**
 * The addresses of the keys of the chain, which every process knows. A process with a key or signer does not read its address from the
 * settings.
 * @throws SettingsError
 */
export function buildKeyAddresses(settings: Settings): KeyAddresses {
  const { keyAddresses: given } = settings;
  const find = (key: Hex | null, place: SignerPlace | null, address: Address | undefined): Address | undefined =>
    place?.address ?? (key === null ? address : addressOfKey(key));
  const operatorAddress = find(settings.operatorPrivateKey, settings.operatorSigner, given.operator);
  const spenderAddress = find(settings.spenderPrivateKey, settings.spenderSigner, given.spender);
  if (operatorAddress === undefined || spenderAddress === undefined)
    throw new SettingsError("OPERATOR_ADDRESS and SPENDER_ADDRESS: are required without their keys");
  const { relayerPrivateKeys, relayerSigners, formerOperators, formerSpenders } = settings;
  const known = {
    relayerAddresses: listAddresses({
      privateKeys: relayerPrivateKeys,
      signers: relayerSigners,
      addresses: given.relayers,
    }),
    operatorAddress,
    spenderAddress,
    formerOperatorAddresses: [...new Set([...listAddresses(formerOperators), ...formerOperators.addresses])],
    formerSpenderAddresses: [...new Set([...listAddresses(formerSpenders), ...formerSpenders.addresses])],
  };
  const topUpAddress = find(settings.topUpPrivateKey, settings.topUpSigner, settings.topUpAddress ?? undefined) ?? null;
  if (topUpAddress !== null && Object.values(known).flat().includes(topUpAddress))
    throw new SettingsError("TOP_UP_PRIVATE_KEY: must not be the key of a relayer, the operator or the spender");
  return { ...known, topUpAddress };
}

/** The addresses of several keys of one kind: of those that the process has, or else as they are given. */
function listAddresses({ privateKeys, signers, addresses }: Settings["formerSpenders"]): readonly Address[] {
  const held = [...privateKeys.map(addressOfKey), ...signers.map(({ address }) => address)];
  return held.length === 0 ? addresses : held;
}
