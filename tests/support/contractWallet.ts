/** A contract wallet as people use it: a Safe of one key, which can sign before its deployment (ERC-1271, ERC-6492). */
import { buildCreation } from "@cardkeep/chain/account";
import { predictAccount } from "@cardkeep/chain/predictAccount";
import type { Call } from "@cardkeep/chain/call";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import {
  encodeAbiParameters,
  hashMessage,
  hashTypedData,
  type PrivateKeyAccount,
  serializeErc6492Signature,
} from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Person } from "./person.ts";

export interface ContractWallet {
  readonly owner: PrivateKeyAccount;
  readonly address: Address;
  /** The call that deploys it. */
  readonly creation: Call;
  /** The owner's signature in the contract's form; with `isDeployed: false` also valid before its deployment. */
  sign(hash: Hex, options?: { by?: PrivateKeyAccount; isDeployed?: boolean }): Promise<Hex>;
}

/** A wallet that is not on chain yet. */
function prepareContractWallet(): ContractWallet {
  const owner = privateKeyToAccount(generatePrivateKey());
  const identity = { creator: owner.address, saltNonce: BigInt(generatePrivateKey()) };
  const { safe: address } = predictAccount(identity);
  const creation = buildCreation(identity);
  return {
    owner,
    address,
    creation,
    sign: async (hash, { by = owner, isDeployed = true } = {}) => {
      const signature = await by.signTypedData({
        domain: { chainId: 100, verifyingContract: address },
        primaryType: "SafeMessage",
        types: { SafeMessage: [{ type: "bytes", name: "message" }] },
        message: { message: encodeAbiParameters([{ type: "bytes32" }], [hash]) },
      });
      return isDeployed
        ? signature
        : serializeErc6492Signature({ address: creation.to, data: creation.data, signature });
    },
  };
}

/** A person whose wallet is a contract. */
export class ContractPerson extends Person {
  readonly wallet: ContractWallet = prepareContractWallet();
  isDeployed = false;

  /** A sign-in message of the wallet, and its signature. */
  async signAs(options: { by?: PrivateKeyAccount } = {}): Promise<{ message: string; signature: Hex }> {
    const { message } = await this.signMessage({ address: this.wallet.address });
    const { isDeployed } = this;
    return { message, signature: await this.wallet.sign(hashMessage(message), { isDeployed, ...options }) };
  }

  override async signIn(): Promise<this> {
    const { status, body } = await this.call("POST", "/auth/challenge", await this.signAs());
    if (status !== 200) throw new Error(`Sign-in: ${status}`);
    this.token = body.token;
    return this;
  }

  override async signWithdrawal(transfer: { tokenAddress: string; to: string; amount: string }) {
    const query = new URLSearchParams(transfer);
    const { body } = await this.call("GET", `/accounts/withdraw/transaction-data?${query}`);
    const signature = await this.wallet.sign(hashTypedData(body.data), { isDeployed: this.isDeployed });
    const message = body.data.message as { salt: Hex; data: Hex };
    return { ...transfer, signature, message, smartWalletAddress: this.wallet.address };
  }
}
