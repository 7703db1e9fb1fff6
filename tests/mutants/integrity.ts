/** Mutants of what counts as a known entry of a queue, and of the messages and proofs that chain code builds and reads. */
import { mutantsOf } from "./mutant.ts";

const chain = "packages/chain/src";

export const integrityMutants = [
  ...mutantsOf(
    `${chain}/entryPolicy.ts`,
    ["tests/unit/entry-policy.test.ts"],
    [
      ["a limit's balance has no bound", "balance <= limitMax && ", ""],
      ["a limit's largest balance has no bound", "maxRefill <= limitMax && ", ""],
      ["a limit's refill has no bound", " && refill <= limitMax", ""],
      ["a limit's period has no bound", "period >= BigInt(periodSecondsMin)", "true"],
      ["a limit has a largest balance without end", " && isCapped", ""],
      ["a limit's period overflows the module's clock", " && period < secondsEnd", ""],
      ["a limit's instant overflows the module's clock", " && timestamp < secondsEnd", ""],
      ["a limit of another key is the card's", "key === spendingAllowanceKey && ", ""],
      [
        "a delegatecall is of a known kind",
        `operation === "CALL" ? classifyCall(call, policy) : null`,
        "classifyCall(call, policy)",
      ],
      ["a call with money is of a known kind", "if (call.value !== 0n) return null;", ""],
      ["a call of the Safe is a transfer", "call.to === account.safe || ", ""],
      ["a call of Roles is a transfer", " || call.to === account.roles", ""],
      [
        "any call of the Delay module changes owners",
        `return functionName === "disableModule" ? "owner.remove" : null`,
        `return "owner.remove"`,
      ],
      ["an allowed call may carry money", "value === 0n &&\n  size(data) >= 4", "size(data) >= 4"],
      ["an allowed call may go anywhere", "allowed.to === to && ", ""],
      ["an allowed call may be a delegatecall", "allowed.operation === operation && ", ""],
      ["an allowed contract may be called in any way", " && slice(data, 0, 4).toLowerCase() === allowed.selector", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/usedBefore.ts",
    ["tests/long/account.test.ts"],
    [
      ["a Safe that approved another account is set up", "other !== null || hasApproved", "other !== null"],
      ["a Safe that ran another transaction is set up", "other !== null || hasApproved", "hasApproved"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/usedBefore.ts",
    ["tests/long/used-safes.test.ts"],
    [
      ["a Safe's whole history is read at each question", "unusedUpTo.get(safe.id)", "undefined as bigint | undefined"],
      ["a used Safe's whole history is read at each question", "used.has(safe.id)", "false"],
    ],
  ),
  ...mutantsOf(
    `${chain}/safeHistory.ts`,
    ["tests/long/used-safes.test.ts"],
    [
      [
        "what runs around a set-up is not before it",
        "log.blockNumber <= own.blockNumber",
        "log.logIndex < own.logIndex",
      ],
      ["any node proves what it lacks", "history[0]?.topics[0] === creationTopic", "logs.length >= 0"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/settleSetUp.ts",
    ["tests/long/used-safes.test.ts"],
    [
      [
        "a Safe that its owner used just before its set-up is taken into service",
        "if (other) return",
        "if (own && !own) return",
      ],
      ["the gas of a void set-up does not count", "isVoid ? inTurn(count, write) : write", "write"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/signDeployment.ts",
    ["tests/long/used-safes.test.ts"],
    [
      ["a used-up budget holds up no set-up", "if (waitMs > 0) return", "if (waitMs < 0) return"],
      ["a set-up may burn what a deployment may", "{ gasMax: setUpGasMax }", "{}"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/guards/findBlockSince.ts",
    ["tests/long/used-safes.test.ts"],
    [
      [
        "a Safe's history is read from any block",
        "if (block.timestamp < seconds) before",
        "if (block.timestamp >= seconds) before",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/guards/findBlockSince.ts",
    ["tests/long/expired-entries.test.ts"],
    [
      [
        "an owner chooses how many questions a node gets at once",
        "const blocksAtOnce = 32;",
        "const blocksAtOnce = 10_000;",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/integrity/readAccountState.ts",
    ["tests/long/expired-entries.test.ts"],
    [
      [
        "a violation that left the queue shows nothing until its end is known",
        "queueNonce < integrity.txNonce",
        "queueNonce < 0n",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/delays/queueHead.ts",
    ["tests/long/owners.test.ts"],
    [
      ["a node that lags shows an owner too many", "listOwners(delayAddress, number)", "listOwners(delayAddress)"],
      ["the owners are those of another head", "if (txNonce !== queueNonce)", "if (txNonce < 0n)"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/books/postings/followWitnesses.ts",
    ["tests/long/books.test.ts"],
    [
      [
        "a day is closed without the chain",
        "  if (!final) throw new",
        "  if (!final) return null;\n  if (!head) throw new",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/delays/settleOr.ts",
    ["tests/long/used-safes.test.ts"],
    [
      ["a Safe of the older way holds up a lane by its history", "error instanceof ChainUnavailable || ", ""],
      ["a Safe of the older way holds up a lane by what it answers", " || error instanceof CallReverted", ""],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/checkSetUp.ts",
    ["tests/long/used-safes.test.ts"],
    [
      [
        "an account that was used before its set-up stays as it is",
        "if (!other) return",
        "if (other !== undefined) return",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/chain/rollBack.ts",
    ["tests/long/used-safes.test.ts"],
    [["a set-up in a removed block stays read", "set({ setUpBlock: null })", "set({ setUpBlock: safes.setUpBlock })"]],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/settleSetUp.ts",
    ["tests/long/account.test.ts"],
    [
      [
        "a Safe that approves another account until its set-up is taken into service",
        "if (await hasApprovedBefore(ctx, safe, { upTo: own.blockNumber }))\n    return",
        "if (own.blockNumber < 0n) return",
      ],
      [
        "a Safe that its owner changed right after its set-up stays in deployment",
        "(await listViolations(ctx.db, safe.id)).length > 0 || ",
        "",
      ],
      [
        "a set-up is void by the answer of a node that lags",
        "readSetUpHistory(ctx, safe, { upTo: head.number })",
        "readSetUpHistory(ctx, safe)",
      ],
      [
        "a set-up is void by a node behind the block of its refusal",
        "requireFollowed(ctx, blockNumber)",
        "requireFollowed(ctx)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/signDeployment.ts",
    ["tests/long/account.test.ts"],
    [
      [
        "a set-up that another sender sent meanwhile is void",
        `safe.status === "settingUp" ? await`,
        "error === null ? await",
      ],
    ],
  ),
  ...mutantsOf(
    `${chain}/delay.ts`,
    ["tests/unit/hand-encoding.test.ts"],
    [
      ["a message is signed for any chain", "${domainType}${encodeNumber(chainId)}", "${domainType}${encodeNumber(1)}"],
      [
        "a message is signed for any salt",
        "${hashHex(data.slice(2))}${salt.slice(2)}",
        '${hashHex(data.slice(2))}${"00".repeat(32)}',
      ],
    ],
  ),
  ...mutantsOf(
    `${chain}/spending.ts`,
    ["tests/chain/spending.test.ts"],
    [
      ["a spend that moved nothing counts as moved", `? "moved" : "unmoved"`, `? "moved" : "moved"`],
      ["one transfer proves two spends", "next === -1 ? rest : rest.slice(0, next)", "rest"],
      ["a transfer of another amount proves a spend", " && transfer.amount === amount", ""],
      [
        "a spend's name is the same for each position",
        "keccak256(toHex(`cardkeep:${name}`))",
        "keccak256(toHex(`cardkeep`))",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/settleSetUp.ts",
    ["tests/long/used-safes.test.ts"],
    [
      [
        "gas of a set-up that says success without its log is not counted",
        "hasSetUpLog(safe, receipt.logs) ? lookAgain(safe)",
        `receipt.status === "success" ? lookAgain(safe)`,
      ],
    ],
  ),
];
