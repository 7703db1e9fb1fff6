import { describe, expect, test } from "bun:test";
import { buildDeployment } from "@cardkeep/chain/account";
import { predictAccount, predictModules } from "@cardkeep/chain/predictAccount";
import { accrueAllowance, buildSetAllowance, nextRefillAt, parseRefill } from "@cardkeep/chain/allowance";
import type { OperationType } from "@cardkeep/chain/call";
import {
  buildDispatch,
  buildEnqueue,
  buildModuleCall,
  buildModuleTypedData,
  generateSalt,
  hashModuleMessage,
  hashQueueItem,
  parseEnqueue,
  parseModuleCall,
} from "@cardkeep/chain/delay";
import { deployments, spendingAllowanceKey, spendingRoleKey } from "@cardkeep/chain/deployments";
import { buildAddOwner, buildRemoveOwner, findOwnerChange } from "@cardkeep/chain/owners";
import { normalizeSignature, recoverSigner } from "@cardkeep/chain/signatures";
import { createLocalSigner } from "@cardkeep/chain/signer";
import { encodeQuestions, type Result } from "@cardkeep/chain/reads/encodeQuestions";
import { askSdk, buildIntegrityQuestions, recogniseStatus } from "@cardkeep/chain/reads/integrity";
import { tokens } from "@cardkeep/chain/tokens";
import type { Hex } from "@cardkeep/contract/core/primitives";
import { localAccounts } from "@cardkeep/local/accounts";
import {
  accountQuery,
  createInnerAddOwnerTransaction,
  createInnerLimitTransaction,
  createInnerRemoveOwnerTransaction,
  DelayedTransactionType,
  generateTypedData,
  getTransactionRequest,
  populateAccountCreation,
  populateAccountSetup,
  populateExecuteDispatch,
  predictAccountAddress,
  predictAddresses,
  profileDelayedTransaction,
  type TransactionRequest,
} from "@gnosispay/account-kit";
import { AbiCoder, solidityPackedKeccak256, TypedDataEncoder, Wallet } from "ethers";
import fc from "fast-check";
import {
  concat,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  getAddress,
  isAddress,
  keccak256,
  multicall3Abi,
  numberToHex,
  stringToBytes,
  toHex,
  zeroAddress,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { filled } from "../support/filled.ts";
import * as arbitrary from "../chain/arbitraries.ts";

const runs = { numRuns: 25 };
const chainId = 100;

const kitCall = (call: { to: string; value: bigint; data: string }, operation: OperationType): TransactionRequest => ({
  ...call,
  operationType: operation === "CALL" ? 0 : 1,
});

/** Compares only the bytes of two spellings of a request. */
const normalize = ({ to, value, data }: { to: string; value: bigint | number; data: string }) => ({
  to: getAddress(to),
  value: BigInt(value),
  data: data.toLowerCase(),
});

describe("the builders agree with the public SDK", () => {
  test("on the addresses of an account", () => {
    fc.assert(
      fc.property(arbitrary.addresses, arbitrary.uint256s, (operator, saltNonce) => {
        const account = predictAccount({ creator: operator, saltNonce });
        const safe = predictAccountAddress({ owner: operator, creationNonce: saltNonce });
        expect(account).toEqual({ safe: getAddress(safe), ...predictModules(getAddress(safe)) });
        const { delay, roles, bouncer } = predictAddresses(safe);
        expect(account).toEqual({
          safe: getAddress(safe),
          delay: getAddress(delay),
          roles: getAddress(roles),
          bouncer: getAddress(bouncer),
        });
      }),
      runs,
    );
  });

  test("on the signed message, its hash, and the enqueue of keys and of contracts", () => {
    fc.assert(
      fc.property(
        fc.record({
          safe: arbitrary.addresses,
          call: arbitrary.calls,
          operation: arbitrary.operations,
          salt: arbitrary.words,
          signature: arbitrary.signatures,
          smartWallet: arbitrary.addresses,
          contractSignature: arbitrary.contractSignatures,
        }),
        ({ safe, call, operation, salt, signature, smartWallet, contractSignature }) => {
          const { delay } = predictModules(safe);
          const data = buildModuleCall(call, operation);
          const signed = { delay, chainId, data, salt };
          const typed = generateTypedData({ account: safe, chainId, salt }, kitCall(call, operation));
          expect(JSON.parse(JSON.stringify(buildModuleTypedData(signed)))).toEqual(JSON.parse(JSON.stringify(typed)));
          expect(hashModuleMessage(signed)).toBe(
            TypedDataEncoder.hash(typed.domain, typed.types, typed.message) as Hex,
          );
          expect(parseModuleCall(data)).toEqual({ call, operation });

          const message = { data, salt };
          const transaction = kitCall(call, operation);
          expect(normalize(buildEnqueue({ ...signed, signature }))).toEqual(
            normalize(getTransactionRequest({ account: safe, transaction, message, signature })),
          );
          expect(normalize(buildEnqueue({ ...signed, signature: contractSignature, smartWallet }))).toEqual(
            normalize(
              getTransactionRequest({
                account: safe,
                transaction,
                message,
                signature: contractSignature,
                smartWalletAddress: smartWallet,
              }),
            ),
          );
        },
      ),
      runs,
    );
  });

  test("on the parts of an enqueue, parsed from its bytes", () => {
    fc.assert(
      fc.property(
        fc.record({
          safe: arbitrary.addresses,
          call: arbitrary.calls,
          operation: arbitrary.operations,
          salt: arbitrary.words,
          signature: arbitrary.signatures.map((bytes) => `${bytes.slice(0, -2)}1b` as Hex),
          smartWalletAddress: arbitrary.addresses,
          contractSignature: arbitrary.contractSignatures,
        }),
        ({ safe, call, operation, salt, signature, smartWalletAddress, contractSignature }) => {
          const data = buildModuleCall(call, operation);
          const request = { account: safe, transaction: kitCall(call, operation), message: { data, salt } };
          const ofKey = getTransactionRequest({ ...request, signature });
          expect(parseEnqueue(ofKey.data as Hex)).toEqual({ data, salt, signature, smartWallet: null });
          const ofWallet = getTransactionRequest({ ...request, signature: contractSignature, smartWalletAddress });
          expect(parseEnqueue(ofWallet.data as Hex)).toEqual({
            data,
            salt,
            signature: contractSignature,
            smartWallet: smartWalletAddress,
          });
          // From a wallet that ends a signature in 0 or 1.
          for (const last of ["00", "01"]) {
            const low = `${signature.slice(0, -2)}${last}` as Hex;
            const parsed = parseEnqueue(buildEnqueue({ delay: safe, data, salt, signature: low }).data);
            expect(parsed).toEqual({ data, salt, signature: low, smartWallet: null });
          }
        },
      ),
      runs,
    );
  });

  test("and bytes that name no address, or a place outside of them, are a key's signature", () => {
    const [data, salt] = ["0x1234", `0x${"ab".repeat(32)}`] as const;
    const parse = (wallet: bigint, offset: bigint) => {
      const signature = concat([numberToHex(wallet, { size: 32 }), numberToHex(offset, { size: 32 }), "0x00"]);
      return parseEnqueue(concat([data, salt, signature]));
    };
    expect(parse(2n ** 160n - 1n, 1n)?.smartWallet).toBe(getAddress(`0x${"f".repeat(40)}`));
    for (const [wallet, offset] of [
      [2n ** 160n, 1n],
      [1n, 0n],
      [1n, 2n],
      [1n, 2n ** 255n],
    ] as const)
      expect(parse(wallet, offset)).toMatchObject({ data, salt, smartWallet: null });
  });

  test("and no other bytes break the parser", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isLow) => {
        const enqueue = toHex(isLow ? bytes.map((byte) => byte & 1) : bytes);
        const parsed = parseEnqueue(enqueue);
        if (!parsed) return;
        const { data, salt, signature, smartWallet } = parsed;
        const built = buildEnqueue({ delay: zeroAddress, data, salt, signature, ...(smartWallet && { smartWallet }) });
        expect(built.data).toBe(enqueue);
      }),
      { numRuns: 300 },
    );
  });

  test("on the execution and on the hash that the queue stores", () => {
    fc.assert(
      fc.property(arbitrary.addresses, arbitrary.calls, arbitrary.operations, (safe, call, operation) => {
        const { delay } = predictModules(safe);
        expect(normalize(buildDispatch({ delay, call, operation }))).toEqual(
          normalize(populateExecuteDispatch({ account: safe }, kitCall(call, operation))),
        );
        expect(hashQueueItem(call, operation) as string).toBe(
          solidityPackedKeccak256(
            ["address", "uint256", "bytes", "uint8"],
            [call.to, call.value, call.data, operation === "CALL" ? 0 : 1],
          ),
        );
      }),
      runs,
    );
  });

  test("on owner and limit changes", () => {
    fc.assert(
      fc.property(
        fc.record({
          safe: arbitrary.addresses,
          owners: fc.uniqueArray(arbitrary.addresses, { minLength: 1, maxLength: 5 }),
          newOwner: arbitrary.addresses,
          refill: arbitrary.amounts,
          periodSeconds: fc.nat(),
          startsAt: fc.nat(),
        }),
        ({ safe, owners, newOwner, refill, periodSeconds, startsAt }) => {
          const { delay, bouncer } = predictModules(safe);
          const addition = buildAddOwner(delay, newOwner);
          expect(normalize(addition)).toEqual(normalize(createInnerAddOwnerTransaction(safe, newOwner)));
          expect(profileDelayedTransaction(safe, addition)).toBe(DelayedTransactionType.AddOwner);
          expect(findOwnerChange(addition, delay)).toEqual({ kind: "add", owner: newOwner });
          expect(findOwnerChange(addition, bouncer)).toBeNull();
          owners.forEach((owner, index) => {
            const prevOwner = owners[index - 1] ?? "0x0000000000000000000000000000000000000001";
            const removal = buildRemoveOwner({ delay, owners, owner });
            expect(normalize(removal)).toEqual(
              normalize(createInnerRemoveOwnerTransaction(safe, { prevOwner, ownerToRemove: owner })),
            );
            expect(profileDelayedTransaction(safe, removal)).toBe(DelayedTransactionType.RemoveOwner);
            expect(findOwnerChange(removal, delay)).toEqual({ kind: "remove", owner });
          });
          const limit = buildSetAllowance({ bouncer, refill, periodSeconds, startsAt });
          expect(normalize(limit)).toEqual(
            normalize(createInnerLimitTransaction(safe, { refill, period: periodSeconds, timestamp: startsAt })),
          );
          expect(profileDelayedTransaction(safe, limit)).toBe(DelayedTransactionType.LimitChange);
          expect(findOwnerChange(limit, bouncer)).toBeNull();
          expect(parseRefill(limit.data)).toBe(refill);
          expect(parseRefill(addition.data)).toBeNull();
        },
      ),
      runs,
    );
  });

  test("on the creation and set-up of an account, with the signature", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          operatorPrivateKey: arbitrary.privateKeys,
          saltNonce: arbitrary.uint256s,
          owners: fc.uniqueArray(arbitrary.addresses, { minLength: 1, maxLength: 3 }),
          token: arbitrary.addresses,
          spender: arbitrary.addresses,
          settlement: arbitrary.addresses,
          dailyLimit: arbitrary.amounts,
          allowanceStartsAt: fc.nat(),
        }),
        async ({ operatorPrivateKey, saltNonce, owners, ...config }) => {
          const operator = new Wallet(operatorPrivateKey);
          const owner = operator.address;
          const nothing = { safe: false, delay: false, roles: false, bouncer: false };
          const whole = { ...config, periodSeconds: 86_400, cooldownSeconds: 180, expirationSeconds: 1_800 };
          const input = { operator: createLocalSigner(operatorPrivateKey), chainId, saltNonce, owners, config: whole };
          const { data } = await buildDeployment({ ...input, present: nothing });
          const account = predictAccountAddress({ owner, creationNonce: saltNonce });
          const creation = populateAccountCreation({ owner, creationNonce: saltNonce });
          const setUp = await populateAccountSetup(
            { account, owner, chainId, nonce: 0, beneficiaries: owners },
            {
              spender: config.spender,
              receiver: config.settlement,
              token: config.token,
              allowance: { refill: config.dailyLimit, period: 86_400, timestamp: config.allowanceStartsAt },
              delay: { cooldown: 180, expiration: 1_800 },
            },
            ({ domain, types, message }) => operator.signTypedData(domain, types, message),
          );
          const { args } = decodeFunctionData({ abi: multicall3Abi, data });
          const steps = args?.[0] as readonly { target: string; callData: string; allowFailure: boolean }[];
          expect(steps.map(({ target, callData }) => normalize({ to: target, value: 0, data: callData }))).toEqual([
            normalize(creation),
            normalize(setUp),
          ]);
          expect(steps.map(({ allowFailure }) => allowFailure)).toEqual([false, false]);
          expect(normalize(await buildDeployment({ ...input, present: { ...nothing, safe: true } }))).toEqual(
            normalize(setUp),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  test("on the questions about an account", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.addresses, async (safe) => {
        const questions = encodeQuestions(buildIntegrityQuestions({ safe, ...predictModules(safe) }));
        await accountQuery({ account: safe, cooldown: 1 }, async ({ data }) => {
          expect(questions as string).toBe(data);
          return "0x";
        });
      }),
      { numRuns: 10 },
    );
    expect.assertions(10);
  });

  test("on the status of an account, for every answer that is read without the SDK", async () => {
    const nothing = "0x" as Hex;
    const other = fc.oneof(fc.constant(nothing), arbitrary.words, arbitrary.calldata);
    /** Answers that differ from those of a whole account, or fail. */
    const differences = fc.array(
      fc.record({ place: fc.nat({ max: 8 }), answer: fc.option(other, { nil: null }), success: fc.boolean() }),
      { maxLength: 2 },
    );
    const found = new Set<number | null>();
    const example = {
      safe: tokens.EURe.address,
      isSwapped: false,
      isDeployed: true,
      cooldowns: [180, 180] as [number, number],
      differences: [],
    };
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          safe: arbitrary.addresses,
          isSwapped: fc.boolean(),
          isDeployed: fc.integer({ min: 0, max: 5 }).map((number) => number > 0),
          nonces: fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 3 })),
          cooldowns: fc.tuple(fc.integer({ min: 179, max: 181 }), fc.integer({ min: 179, max: 181 })),
          differences,
        }),
        async ({ safe, isSwapped, isDeployed, nonces, cooldowns, differences: changes }) => {
          const addresses = { safe, ...predictModules(safe) };
          const { delay, roles, bouncer } = addresses;
          const encode = (types: string[], values: unknown[]) =>
            AbiCoder.defaultAbiCoder().encode(types, values) as Hex;
          const modules = isSwapped ? [roles, delay] : [delay, roles];
          const answers = [
            encode(["address[]"], [["0x0000000000000000000000000000000000000002"]]),
            encode(["uint256"], [1]),
            encode(["address[]", "address"], [modules, "0x0000000000000000000000000000000000000001"]),
            encode(["address"], [bouncer]),
            encode(["uint128", "uint128", "uint64", "uint128", "uint64"], [5, 5, 86_400, 3, 1]),
            encode(["address"], [safe]),
            encode(["uint256"], [cooldowns[0]]),
            ...nonces.map((nonce) => encode(["uint256"], [nonce])),
          ];
          const results = answers.map((returnData) => ({
            success: true,
            returnData: isDeployed ? returnData : nothing,
          }));
          for (const { place, answer, success } of changes)
            results[place] = { success, returnData: answer ?? answers[place] ?? nothing };
          results.push({ success: true, returnData: encode(["uint256"], [1_000]) });

          const account = { addresses, cooldownSeconds: cooldowns[1] };
          const status = recogniseStatus(account, results);
          found.add(status);
          if (status !== null) expect(status as number).toBe(await askSdk(account, results));
        },
      ),
      {
        numRuns: 60,
        examples: [
          [{ ...example, nonces: [2, 2] }],
          [{ ...example, nonces: [2, 3] }],
          [{ ...example, isDeployed: false, nonces: [0, 0] }],
          [{ ...example, nonces: [0, 0], differences: [{ place: 5, answer: null, success: false }] }],
        ],
      },
    );
    expect([...found].toSorted()).toEqual([0, 1, 7, null]);
  });

  test("on a Safe that names thousands of owners or modules, which is misconfigured in little time", async () => {
    const addresses = { safe: tokens.EURe.address, ...predictModules(tokens.EURe.address) };
    const account = { addresses, cooldownSeconds: 180 };
    const encode = (types: string[], values: unknown[]): Result => ({
      success: true,
      returnData: encodeAbiParameters(
        types.map((type) => ({ type })),
        values,
      ),
    });
    const list = (length: number) => Array.from({ length }, (_, index) => numberToHex(index + 1, { size: 20 }));
    const [one, { roles, delay, bouncer, safe }] = [encode(["uint256"], [1]), addresses];
    const rest = [
      encode(["address"], [bouncer]),
      encode(["uint256", "uint256", "uint256", "uint256", "uint256"], [5, 5, 86_400, 3, 1]),
      encode(["address"], [safe]),
      ...[180, 0, 0, 1_000].map((number) => encode(["uint256"], [number])),
    ];
    const build = (owners: readonly Hex[], modules: readonly Hex[]): Result[] => [
      encode(["address[]"], [owners]),
      one,
      encode(["address[]", "address"], [modules, numberToHex(1, { size: 20 })]),
      ...rest,
    ];
    const [dead, enabled] = [[numberToHex(2, { size: 20 })], [delay, roles]];
    expect(await askSdk(account, build(dead, enabled))).toBe(0);
    for (const length of filled([10, 126, 127, 128, 200])) {
      for (const results of filled([build(list(length), enabled), build(dead, list(length))])) {
        const answer = encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results });
        const ofSdk = await accountQuery({ account: safe, cooldown: 180 }, async () => answer);
        expect([ofSdk.status as number, await askSdk(account, results)]).toEqual([2, 2]);
      }
    }
    for (const results of filled([build(list(30_000), enabled), build(dead, list(30_000))])) {
      const before = process.cpuUsage();
      expect(await askSdk(account, results)).toBe(2);
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(100);
    }
  });

  test("on the rest of an allowance and its next refill", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          refill: arbitrary.amounts,
          maxRefill: arbitrary.amounts,
          balance: arbitrary.amounts,
          periodSeconds: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 100_000n })),
          timestamp: fc.bigInt({ min: 0n, max: 2n ** 31n }),
          elapsed: fc.integer({ min: 0, max: 1_000_000 }),
        }),
        async ({ elapsed, ...allowance }) => {
          const now = Number(allowance.timestamp) + elapsed;
          const coder = AbiCoder.defaultAbiCoder();
          const word = (value: number | bigint) => coder.encode(["uint256"], [value]);
          const { refill, maxRefill, periodSeconds, balance, timestamp } = allowance;
          // The library has no bound where the contract's amounts overflow and every spend reverts.
          const periods = periodSeconds === 0n ? 0n : BigInt(elapsed) / periodSeconds;
          fc.pre(balance + refill * periods < 2n ** 128n);
          const stored = coder.encode(
            ["uint128", "uint128", "uint64", "uint128", "uint64"],
            [refill, maxRefill, periodSeconds, balance, timestamp],
          );
          const results = [...Array(9).keys()].map((index): [boolean, string] => [
            index === 4,
            index === 4 ? stored : word(0),
          ]);
          const answer = coder.encode(["tuple(bool,bytes)[]"], [[...results, [true, word(now)]]]);
          const said = await accountQuery({ account: tokens.EURe.address, cooldown: 0 }, async () => answer);
          expect(accrueAllowance(allowance, now)).toBe(said.allowance.balance);
          const at = nextRefillAt(allowance, now);
          expect(at).toBe(said.allowance.nextRefill);
        },
      ),
      runs,
    );
  });
});

describe("the message of an owner", () => {
  test("is recovered to the signer, also from wallets that end a signature in 0 or 1", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrary.privateKeys,
        arbitrary.addresses,
        arbitrary.calldata,
        arbitrary.words,
        async (key, delay, data, salt) => {
          const wallet = new Wallet(key);
          const { domain, types, message } = buildModuleTypedData({ delay, chainId, data, salt });
          const signature = (await wallet.signTypedData(domain, { ModuleTx: [...types.ModuleTx] }, message)) as Hex;
          const low = `${signature.slice(0, -2)}${signature.endsWith("1b") ? "00" : "01"}` as const;
          const signer = getAddress(wallet.address);
          expect(normalizeSignature(low as Hex)).toBe(signature);
          const hash = hashModuleMessage({ delay, chainId, data, salt });
          expect(await recoverSigner(hash, signature)).toBe(signer);
          expect(await recoverSigner(hash, low as Hex)).toBe(signer);
          expect(await recoverSigner(hashModuleMessage({ delay, chainId: 1, data, salt }), signature)).not.toBe(signer);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("has no signer if the signature is not a key's", async () => {
    const message = { delay: tokens.EURe.address, chainId, data: "0x", salt: `0x${"00".repeat(32)}` } as const;
    for (const signature of [
      "0x",
      "0x00",
      `0x${"00".repeat(65)}`,
      `0x${"ff".repeat(65)}`,
      `0x${"ff".repeat(64)}1b`,
    ] as const) {
      expect(await recoverSigner(hashModuleMessage(message), signature)).toBeNull();
    }
  });

  test("is not signed by its owner if the signature has lost a byte that was 0", async () => {
    const { privateKey } = localAccounts.spare;
    for (let index = 0; ; index++) {
      const hash = keccak256(numberToHex(index));
      const signature = await privateKeyToAccount(privateKey).sign({ hash });
      if (signature.slice(66, 68) !== "00") continue;
      expect(await recoverSigner(hash, signature)).toBe(localAccounts.spare.address);
      // Its 64 bytes are those of somebody else's compact signature (EIP-2098).
      const shortened = await recoverSigner(hash, `0x${signature.slice(2, 66)}${signature.slice(68)}`);
      expect(shortened).not.toBe(localAccounts.spare.address);
      return;
    }
  });

  test("is parsed only from exactly the built calldata", () => {
    const call = { to: tokens.EURe.address, value: 0n, data: "0x1234" } as const;
    const data = buildModuleCall(call);
    expect(parseModuleCall(`${data}00`)).toBeNull();
    expect(parseModuleCall(`${data.slice(0, -2)}01` as Hex)).toBeNull();
    expect(parseModuleCall("0x")).toBeNull();
    expect(parseModuleCall("0xdeadbeef")).toBeNull();
    expect(parseModuleCall(data.toUpperCase().replace("0X", "0x") as Hex)).toEqual({
      call,
      operation: "CALL",
    });
  });

  test("has a salt of its own", () => {
    const now = new Date();
    const salts = new Set(Array.from({ length: 1_000 }, () => generateSalt(now)));
    expect(salts.size).toBe(1_000);
    expect([...salts].every((salt) => /^0x[0-9a-f]{64}$/.test(salt))).toBe(true);
  });
});

test("constants have their documented values", () => {
  expect(spendingRoleKey).toBe(keccak256(stringToBytes("SPENDING_ROLE")));
  expect(spendingAllowanceKey).toBe(keccak256(stringToBytes("SPENDING_ALLOWANCE")));
  const known = [...Object.values(deployments), ...Object.values(tokens).map(({ address }) => address)];
  expect(known.filter((address) => !isAddress(address, { strict: true }))).toEqual([]);
});
