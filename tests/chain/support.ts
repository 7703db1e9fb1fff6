/** A test's own chain, and the actions of a test on it. */
import { buildDeployment } from "@cardkeep/chain/account";
import { type AccountAddresses, predictAccount } from "@cardkeep/chain/predictAccount";
import type { AccountConfig } from "@cardkeep/chain/accountConfig";
import type { Call, OperationType } from "@cardkeep/chain/call";
import {
  buildEnqueue,
  buildModuleCall,
  buildModuleTypedData,
  generateSalt,
  hashModuleMessage,
} from "@cardkeep/chain/delay";
import type { ChainReader } from "@cardkeep/chain/port";
import type { ChainReceipt } from "@cardkeep/chain/log";
import { createChainReader } from "@cardkeep/chain/reader";
import { createRelayerKey, suggestFees } from "@cardkeep/chain/relayer";
import { createLocalSigner, type Signer } from "@cardkeep/chain/signer";
import { tokens } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import { createTestClient, http, numberToHex, type PrivateKeyAccount, parseEther, publicActions } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { startTestChain } from "../support/chain.ts";

export const chainId = 100;
export const nothingPresent = { safe: false, delay: false, roles: false, bouncer: false };

export type TestChain = Awaited<ReturnType<typeof openChain>>;

export interface Deployment {
  operator: Signer;
  chainId: number;
  saltNonce: bigint;
  owners: Address[];
  config: AccountConfig;
}

/** A future account, with its own keys. */
export function prepareAccount() {
  const owner = privateKeyToAccount(generatePrivateKey());
  const spenderPrivateKey = generatePrivateKey();
  const spender = privateKeyToAccount(spenderPrivateKey);
  const operatorPrivateKey = generatePrivateKey();
  const operator = privateKeyToAccount(operatorPrivateKey);
  const settlement = privateKeyToAccount(generatePrivateKey()).address;
  const saltNonce = BigInt(generatePrivateKey());
  const config: AccountConfig = {
    token: tokens.EURe.address,
    dailyLimit: 350n * 10n ** 18n,
    periodSeconds: 86_400,
    allowanceStartsAt: 1_700_000_000 - (1_700_000_000 % 86_400),
    cooldownSeconds: 180,
    expirationSeconds: 1_800,
    spender: spender.address,
    settlement,
  };
  const deployment: Deployment = {
    operator: createLocalSigner(operatorPrivateKey),
    chainId,
    saltNonce,
    owners: [owner.address],
    config,
  };
  const addresses: AccountAddresses = predictAccount({ creator: operator.address, saltNonce });
  return { owner, operator, operatorPrivateKey, spender, spenderPrivateKey, settlement, addresses, deployment };
}

export async function openChain() {
  const { rpcUrl, stop } = await startTestChain();
  const reader: ChainReader = createChainReader({ rpcUrl, chainId, timeoutMs: 5_000 });
  const node = createTestClient({ mode: "anvil", transport: http(rpcUrl, { retryCount: 0 }) }).extend(publicActions);
  const relayer = createRelayerKey(createLocalSigner(generatePrivateKey()));
  await node.setBalance({ address: relayer.address, value: parseEther("1000") });

  const waitForReceipt = async (hash: Hex): Promise<ChainReceipt> => {
    for (let tries = 0; tries < 500; tries++) {
      const receipt = await reader.findReceipt(hash);
      if (receipt) return receipt;
      await Bun.sleep(10);
    }
    throw new Error(`${hash} is not mined`);
  };

  /** Signs with a fixed gas limit, so that a call that reverts is mined too. */
  const sign = async (call: Call, key = relayer) =>
    key.sign({
      ...call,
      nonce: await reader.getTransactionCount(key.address, "pending"),
      gasLimit: 3_000_000n,
      chainId,
      ...suggestFees(await reader.getBlock()),
    });

  const send = async (call: Call, key = relayer): Promise<ChainReceipt> => {
    const { raw, hash } = await sign(call, key);
    await reader.broadcast(raw);
    return waitForReceipt(hash);
  };

  return {
    rpcUrl,
    stop,
    reader,
    node,
    relayer,
    sign,
    send,
    waitForReceipt,
    giveTokens: (token: Address, to: Address, amount: bigint) =>
      node.request<{ Method: "anvil_dealERC20"; Parameters: [Address, Address, Hex]; ReturnType: null }>({
        method: "anvil_dealERC20",
        params: [to, token, numberToHex(amount)],
      }),
    /** Advances the chain's time and mines a block. */
    advance: async (seconds: number) => {
      await node.increaseTime({ seconds });
      await node.mine({ blocks: 1 });
    },
    deploy: async (deployment: Deployment, present = nothingPresent): Promise<ChainReceipt> =>
      send(await buildDeployment({ ...deployment, present })),
  };
}

/** An owner's signed call, which any sender may send. */
export async function signEnqueue(
  owner: PrivateKeyAccount,
  delay: Address,
  call: Call,
  operation: OperationType = "CALL",
): Promise<{ enqueue: Call; messageHash: Hex }> {
  const signed = { delay, chainId, data: buildModuleCall(call, operation), salt: generateSalt(new Date()) };
  const signature = await owner.signTypedData(buildModuleTypedData(signed));
  return { enqueue: buildEnqueue({ ...signed, signature }), messageHash: hashModuleMessage(signed) };
}

/** The rejection of a promise. */
export async function catchError(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("Expected a failure");
}
