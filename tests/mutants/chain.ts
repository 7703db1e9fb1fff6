/** Mutants of what is read from the chain and built for it: fates, allowances, signatures, fees, owners and known code. */
import { mutantsOf } from "./mutant.ts";

const chain = "packages/chain/src";

export const chainMutants = [
  ...mutantsOf(
    `${chain}/reads/account.ts`,
    ["tests/api/withdraw-tokens.test.ts"],
    [["a token that a caller chose has a node's whole gas for its balance", "data, block, tokenGas", "data, block"]],
  ),
  ...mutantsOf(
    `${chain}/reads/integrity.ts`,
    ["tests/long/sdk-agreement.test.ts"],
    [["a Safe that names thousands of owners holds up a process", "size(returnData) > answerBytesMax", "false"]],
  ),
  ...mutantsOf(
    `${chain}/reads/aggregate.ts`,
    ["tests/chain/spending.test.ts"],
    [["a Safe that burns all gas hides the rest of its account", "return requestAll(rpc, others)", "throw error"]],
  ),
  ...mutantsOf(
    "packages/db/src/many.ts",
    ["tests/long/many-rows.test.ts"],
    [["all rows of strangers are one insert", "itemsPerStatement = 1_000", "itemsPerStatement = 1_000_000"]],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/chainSync/compareQueues.ts",
    ["tests/long/comparison.test.ts"],
    [["queues are compared in any number of blocks at once", "findCheckEnd({ checked: compared, head })", "head"]],
  ),
  ...mutantsOf(
    "packages/runtime/src/compose.ts",
    ["tests/api/balances.test.ts"],
    [["logs of blocks before START_BLOCK are read", "chainId, startBlock, timeoutMs", "chainId, timeoutMs"]],
  ),
  ...mutantsOf(
    `${chain}/reads/askWithBlock.ts`,
    ["tests/chain/reader.test.ts"],
    [
      [
        "a node that is overloaded is asked for logs without their block",
        "batchStatuses.includes(error.status ?? 0)",
        "error.status !== undefined",
      ],
      ["a node that reads one request alone is not asked at all", ", -32700", ""],
      ["a node of another chain has the same block", ".hash !== block.hash)", ".hash === null)"],
      ["any error has the logs asked without their block", "batchCodes.includes(readError(error).code)", "true"],
    ],
  ),
  ...mutantsOf(
    `${chain}/reads/nodes.ts`,
    ["tests/chain/nodes.test.ts"],
    [["a node is believed for ever to be on the chain that it named", " || Date.now() - node.namedAt >= namedMs", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/delays/chainHistory.ts",
    ["tests/long/daily-limit.test.ts"],
    [["the first limit is looked for in an account's whole life", "head - change.block > laggingBlocks", "head >= 0n"]],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/delays/chainHistory.ts",
    ["tests/long/expired-entries.test.ts"],
    [
      ["an operation fails whose execution a node did not show", " || !(await hasExecutedViolation(db, safeId))", ""],
      ["an operation fails in the moment in which it left the queue", "head - laggingBlocks)", "head)"],
      ["an operation that left without a log never ends", "return queueNonce < (await", "return 0n > (await"],
    ],
  ),
  ...mutantsOf(
    `${chain}/fates.ts`,
    ["tests/unit/fates.test.ts", "tests/chain/fates.test.ts"],
    [
      ["a queue without expiration expires at once", "expirationSeconds === 0 ? null : ", ""],
      ["a call expires a second early", "at > expiresAt", "at >= expiresAt"],
      [
        "a call that left the queue in a block unknown to the node counts as skipped",
        " && isExpired(computeTimes(head.createdAt, settings), input.headAt)",
        "",
      ],
      [
        "an expired call counts as executed",
        "skipWhile((head) => isExpired(computeTimes(head.createdAt, settings), at));",
        "",
      ],
      [
        "a call of another Safe counts",
        "if (isExecutionSuccess(log, input)) {",
        "if (log.topics[0] === executionSuccessTopic) {",
      ],
      ["a jump of the nonce skips too much", "head.queueNonce < nonce", "head.queueNonce <= nonce"],
      ["a call that expired last waits for ever", "head.queueNonce < input.txNonce &&", "false &&"],
    ],
  ),
  ...mutantsOf(
    `${chain}/reads/logs.ts`,
    ["tests/chain/reader.test.ts"],
    [
      ["a node of another branch answers about logs", "toHash !== undefined && { hash: toHash }", "{}"],
      ["logs that a node lacks count as none", "classifyRefusal, last)", "classifyRefusal)"],
    ],
  ),
  ...mutantsOf(
    `${chain}/allowance.ts`,
    ["tests/chain/limit.test.ts"],
    [
      ["a clock that overflows refills", "if (timestamp + periodSeconds > timeMax) return 0n;", ""],
      ["an amount that overflows can be spent", "if (accrued > amountMax) return 0n;", ""],
      ["a balance above the largest refill falls", " || balance >= maxRefill", ""],
      ["refills have no end", "accrued < maxRefill ? accrued : maxRefill", "accrued"],
      [
        "an allowance whose time has not begun refills",
        "elapsed > 0n ? elapsed / periodSeconds : 0n",
        "elapsed / periodSeconds",
      ],
    ],
  ),
  ...mutantsOf(
    `${chain}/transfers.ts`,
    ["tests/unit/transfers.test.ts"],
    [
      [
        "a transfer of any token counts",
        "isAddressEqual(log.address, token) ? parseTransfer(log) : null",
        "parseTransfer(log)",
      ],
      ["a transfer to any receiver counts", "transfer && isAddressEqual(transfer.to, receiver)", "transfer"],
    ],
  ),
  ...mutantsOf(
    `${chain}/delay.ts`,
    ["tests/long/sdk-agreement.test.ts"],
    [
      ["a contract's signature may start behind its end", " && offset < BigInt(saltStart)", ""],
      ["a longer wallet is cut to an address", " && size(trim(wallet)) <= 20", ""],
      [
        "two equal messages have one salt",
        "crypto.getRandomValues(new Uint8Array(randomBytes))",
        "new Uint8Array(randomBytes)",
      ],
      [
        "calldata with anything behind it is a module's call",
        "buildModuleCall(call, operation).toLowerCase() === lowerCase ?",
        "lowerCase ?",
      ],
    ],
  ),
  ...mutantsOf(
    `${chain}/revert.ts`,
    ["tests/unit/revert.test.ts"],
    [
      ["a relayer without money is a verdict on the call", "value > 0n && poverty", "poverty"],
      ["a contract's text is shown whole", "line.slice(0, reasonLengthMax)", "line"],
      ["a contract's text has control characters", String.raw`text.replaceAll(/[\p{C}\p{Z}]+/gu, " ")`, "text"],
    ],
  ),
  ...mutantsOf(
    `${chain}/relayer.ts`,
    ["tests/chain/reader.test.ts"],
    [
      ["a replacement pays too little more", "fee * 1125n", "fee * 1050n"],
      [
        "fees are raised without end",
        "fees.maxFeePerGas > suggestionsMax * suggestFees(block).maxFeePerGas ? null : ",
        "",
      ],
    ],
  ),
  ...mutantsOf(
    `${chain}/siwe.ts`,
    ["tests/long/siwe.test.ts"],
    [["a huge text is parsed", "if (text.length > textLengthMax) return null;", ""]],
  ),
  ...mutantsOf(
    `${chain}/signatures.ts`,
    ["tests/long/sdk-agreement.test.ts"],
    [
      [
        "a signature that ends in 0 is a contract's",
        `return \`\${slice(signature, 0, ecdsaBytes - 1)}1b\`;`,
        "return signature;",
      ],
      [
        "a signature that ends in 1 is a contract's",
        `? \`\${slice(signature, 0, ecdsaBytes - 1)}1c\` : signature`,
        "? signature : signature",
      ],
    ],
  ),
  ...mutantsOf(
    `${chain}/signer.ts`,
    ["tests/long/signers.test.ts"],
    [
      ["a signer with another key is accepted", "if (found !== address) throw", "if (found === null) throw"],
      [
        "a signature of another key is sent",
        "if ((await recoverAddress(digest, signature)) === address) return",
        "return",
      ],
      ["a signature with the higher s is sent", "s > order / 2n ? order - s : s", "s"],
    ],
  ),
  ...mutantsOf(
    `${chain}/contractCode.ts`,
    ["tests/chain/canonical.test.ts"],
    [
      ["code of another length is canonical", " && (canonical.bytes ?? bytes) === bytes", ""],
      ["an accepted hash counts for any contract", "hash === accepted[name]", "Object.values(accepted).includes(hash)"],
      ["one name is accepted with two hashes", " || accepted[name] !== undefined", ""],
    ],
  ),
  ...mutantsOf(
    `${chain}/reads/nodes.ts`,
    ["tests/chain/nodes.test.ts"],
    [
      ["a node that never named its chain is used", "({ isOnChain }) => isOnChain)", "() => true)"],
      ["a node that stops within its answer holds up all reads", "...limits,", "timeout: input.timeoutMs,"],
    ],
  ),
  ...mutantsOf(
    `${chain}/owners.ts`,
    ["tests/unit/owners.test.ts"],
    [
      ["a part of the account becomes its owner", " && !Object.values(account).includes(address)", ""],
      ["a shared contract becomes an owner", " && !shared.includes(address)", ""],
      ["a precompile becomes an owner", "BigInt(wallet) >= firstWallet && ", ""],
      ["an owner is removed by an older list", "owners[index - 1] ?? sentinelAddress", "owners[0] ?? sentinelAddress"],
    ],
  ),
];
