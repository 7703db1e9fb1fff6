/** Mutants of what sends transactions: nonces that others used, attempts and their replacements, and the end of a cooldown. */
import { mutantsOf } from "./mutant.ts";

const jobs = ["tests/long/relay-jobs.test.ts"];

export const relayMutants = [
  ...mutantsOf("packages/domain/src/chain/relay/recordLoss.ts", jobs, [
    [
      "a replacement that was signed meanwhile is lost with its transaction",
      "if ((await listRelayAttempts(work.tx, id)).length !== attempts.length) return false;",
      "",
    ],
    ["one loss is recorded twice", "if (!(await lockOpenRelayTransaction(work.tx, id))) return false;", ""],
    ["our own transaction counts as foreign", "isOurs || ", ""],
    ["a transaction is lost before the other one is final", " || found.blockNumber > finalBlock", ""],
    ["a buried transaction is lost at once", " || resends < buriedResendsMin", ""],
    [
      "a node that forgot all receipts makes a transaction lost",
      "if (former !== null && !(",
      "if (former === null && !(",
    ],
    ["a buried transaction is lost to an older one", "block.timestamp * 1000 < createdAt.getTime() || ", ""],
    [
      "a buried attempt of ours is lost",
      `for (const { hash } of attempts) if (await ctx.chain.hasTransaction(hash)) return null;
  for (const { hash } of attempts) if (await ctx.chain.findReceipt(hash)) return null;`,
      "",
    ],
  ]),
  ...mutantsOf("packages/domain/src/sync/chainSync/compareQueues.ts", jobs, [
    ["open operations of one Safe hide those of all others", ", ...(last && { after: last.id })", ""],
  ]),
  ...mutantsOf(
    "packages/db/src/queries/chain/followState.ts",
    ["tests/long/order-reorganisation.test.ts"],
    [
      [
        "a block that a job recorded proves those below it",
        "where is_followed order by block_number desc limit 1) as followed",
        "order by block_number desc limit 1) as followed",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/integrity/followEntries.ts",
    ["tests/long/node-faults.test.ts"],
    [["logs of another branch count as those of the head", "toBlock === head.number", "toBlock < 0n"]],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/chainSync/follow.ts",
    ["tests/long/node-faults.test.ts"],
    [
      ["a count of a node that lags rolls back what stands", "(await countOnChain(ctx, relayer)) > count", "false"],
      ["a nonce that was lost long ago counts as a removed transaction", "hash === null || !(", "hash !== null && !("],
      ["one look records blocks of two branches", "below.blockHash !== parentHash", "blockHash === parentHash"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/balances/checkBalances.ts",
    ["tests/chaos/reorganisation.test.ts"],
    [["one commit after a reorganisation adds a job for every Safe", "batchSize = 500", "batchSize = 1_000_000"]],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/chainSync/compareQueues.ts",
    ["tests/long/comparison.test.ts"],
    [["a database that went back forgets from where its rows are looked for", "if (!isHeld) ", ""]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/sync/lackingRows.ts",
    ["tests/long/comparison.test.ts"],
    [
      [
        "a reconciliation of another cause hides that of a restored database",
        "and r.reason = 'restored'",
        "and r.reason = 'restored' and r.sequence = (select max(sequence) from reconciliations)",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/detectRestore.ts",
    ["tests/long/snapshot.test.ts"],
    [
      ["a copy of the disk that was put back is not noticed", "taken > 0n && taken < count", "false"],
      ["a node that lags hides a copy of the disk", "!isBehind && ageSeconds <=", "true || ageSeconds <="],
      ["a lane that a job brought ahead hides a copy of the disk", "jumped > 0n", "false"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/reconcileTransactions.ts",
    ["tests/long/foreign-nonce.test.ts"],
    [["use of a key while no worker ran is forgotten", "if (showsNoncesAlone(reconciliation)) return;", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/reconcileTransactions.ts",
    ["tests/long/snapshot.test.ts"],
    [["a worker whose clock is behind takes lost rows for another program's", "await readSharedTime(ctx, tx)", "now"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/core/databaseIdentity.ts",
    ["tests/long/snapshot.test.ts"],
    [
      ["a dump in the same database is not noticed", "pg_relation_filenode('reconciliations')", "null"],
      [
        "an update of the service counts as a restore",
        "starts_with(${present} || '/', ${stored} || '/')",
        "${present} = ${stored}",
      ],
    ],
  ),
  ...mutantsOf("packages/domain/src/chain/relay/signAttempt.ts", jobs, [
    [
      "a reserved nonce is signed twice",
      "if ((await listRelayAttempts(tx, id)).length === 0) await insert",
      "await insert",
    ],
  ]),
  ...mutantsOf("packages/domain/src/chain/relay/replaceStuck.ts", jobs, [
    ["an attempt is replaced at once", "if (ageMs < replaceAfterMs) return;", ""],
    ["two replacements of one attempt are signed", "if (newest?.hash !== stuck.hash) return;", ""],
    ["what a sender cannot pay for is offered for less at any fees", " || !isTooDear(suggestFees(block))", ""],
    [
      "an attempt that a node holds is offered for less again",
      "if (held.some(({ maxFeePerGas }) => maxFeePerGas >= block.baseFeePerGas)) return false;",
      "",
    ],
    ["what a node would not take for the one that it holds is signed", "held.length > 0 ?", "held.length > 99 ?"],
    ["the same bytes are signed twice", "return isKnown ?", "return isKnown && false ?"],
    [
      "an attempt of a worker with a slow clock is not the newest",
      "new Date(Math.max(now.getTime(), newest.createdAt.getTime() + 1))",
      "now",
    ],
    ["a cancellation is cheaper than what it cancels", "outbidFees(findHighest(attempts),", "outbidFees(newest,"],
  ]),
  ...mutantsOf("packages/domain/src/chain/relay/confirm.ts", jobs, [
    ["a settlement that takes long is begun again at each look", "present.add(transaction.id);", ""],
    [
      "no job is left behind a settlement that fails",
      `"relay.confirm", payload, besideMs);`,
      `"relay.broadcast", payload, besideMs);`,
    ],
    ["what a node refuses as too cheap is never offered for more", ` || sent === "underpriced"`, ""],
    ["what a node refuses for any reason is offered for more", `sent === "underpriced"`, "sent !== null"],
    [
      "a lane waits for money that its transactions no longer need",
      `if (sent === "refused" && (await lowerRefused(ctx, transaction, attempts))) return "waiting";`,
      "",
    ],
  ]),
  ...mutantsOf("packages/domain/src/accounts/delays/dispatch.ts", jobs, [
    ["an operation is tried ten seconds early", "timestamp + 1 < readyAt", "timestamp + 11 < readyAt"],
  ]),
  ...mutantsOf(
    "packages/db/src/queue/enqueue.ts",
    ["tests/long/lock-order.test.ts"],
    [
      [
        "jobs are written before the end of their commit",
        "if (!collectAdded(on, jobs))\n    await insertJobs(",
        "collectAdded(on, jobs);\n  await insertJobs(",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/db/src/queries/accounts/delays/enqueues.ts",
    ["tests/flows/batch.test.ts"],
    [["one person's operations fill every batch", "[] : [byTurn]", "[] : []"]],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/topUps/topUpRelayers.ts",
    ["tests/long/top-ups.test.ts"],
    [
      ["a top-up that the node has forgotten ends all later ones", " > hourMs) return false;", " < 0) return false;"],
      ["a top-up that a reorganisation took back is booked twice", "(await chain.findReceipt(hash)) === null", "false"],
    ],
  ),
  ...mutantsOf(
    "packages/chain/src/delayLogs.ts",
    ["tests/unit/delay-logs.test.ts", "tests/flows/batch.test.ts"],
    [["the entry of one signed message is another one's", "!hashes.has(entry.logIndex - 1) &&", "true &&"]],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/delays/settleEnqueue.ts",
    ["tests/flows/batch.test.ts"],
    [
      [
        "all operations of a queue are looked at when their cooldowns end",
        "place === 0 ? 0 : behindMs + place * 1_000",
        "0 * place",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/delays/queueHead.ts",
    ["tests/long/expired-entries.test.ts"],
    [
      ["all wait behind one that could not be skipped", `status !== "FAILED"`, "status"],
      [
        "a node that lags shows an ended operation as the head",
        "const { number } = await requireFollowed(ctx);\n  return (await",
        "const { number } = await ctx.chain.getBlock();\n  return (await",
      ],
      ["an operation that left the queue meanwhile is the head", ".txNonce === txNonce", ".txNonce >= txNonce"],
    ],
  ),
  ...mutantsOf("packages/domain/src/accounts/delays/signDispatch.ts", jobs, [
    [
      "two jobs sign the same execution",
      "if (await hasOpenRelayTransaction(work.tx, item.id, dispatchPurposes)) return;",
      "",
    ],
  ]),
  ...mutantsOf(
    "packages/db/src/queries/chain/rollBack.ts",
    ["tests/flows/card-money.test.ts", "tests/long/debts.test.ts"],
    [
      [
        "a return that reverted is sent again beside the one signed after it",
        "when ${isGivenUp}",
        "when false and ${isGivenUp}",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/relay/renewSubject.ts",
    ["tests/long/order-reorganisation.test.ts"],
    [
      [
        "a paid return counts as unpaid once its lost transaction is settled",
        "if (row?.hash && sent",
        "if (!row && sent",
      ],
    ],
  ),
  ...mutantsOf("packages/domain/src/cards/orders/carryOutReturn.ts", jobs, [
    [
      "an order's return is signed while an earlier one may be mined",
      'await requireSettled(ctx, row.id, "order.return");',
      "",
    ],
  ]),
  ...mutantsOf("packages/domain/src/treasury/moves/carryOutMove.ts", jobs, [
    [
      "a move is signed while an earlier one may be mined",
      'await requireSettled(ctx, move.id, "treasury.transfer");',
      "",
    ],
  ]),
  ...mutantsOf("packages/domain/src/chain/relay/confirm.ts", jobs, [
    ["a lost transaction is sent again", "if (!receipt && (await cancelLost(ctx, transaction, attempts))) return;", ""],
    ["a lost transaction that was mined settles its subject", "transaction.lostAt === null ?", "transaction.id ?"],
  ]),
  ...mutantsOf("packages/db/src/queries/chain/relay/attempts.ts", jobs, [
    ["the dearest attempt counts as the newest", "order by ${createdAt} desc, ", "order by "],
  ]),
  ...mutantsOf("packages/db/src/queries/chain/relay/lanes.ts", jobs, [
    [
      "a lane falls behind the chain",
      "greatest(${relayers.nextNonce}, ${chainNonce}) + 1",
      "${relayers.nextNonce} + 1",
    ],
  ]),
  ...mutantsOf(
    "packages/domain/src/chain/relay/signRelayTransaction.ts",
    ["tests/long/owners.test.ts"],
    [["a relayer pays for any gas", "if (gas > gasMax) throw", "if (gasMax === 0n) throw"]],
  ),
  ...mutantsOf("packages/domain/src/chain/relay/signRelayTransaction.ts", jobs, [
    ["the margin goes beyond what is paid for", "withMargin < gasMax ? withMargin : gasMax", "withMargin"],
    ["what a node that lags refuses is refused for good", "if (!isBehind) await", "await"],
    [
      "what a node refuses that lacks the head of another one is refused for good",
      "if (!isBehind) await estimateAt(ctx, asked, { fees, gasMax, block: head.number });",
      "if (!isBehind) throw error;",
    ],
  ]),
  ...mutantsOf("packages/domain/src/accounts/delays/relayNext.ts", jobs, [
    ["an operation that another job signed fails", "if (left) await write", "await write"],
  ]),
  ...mutantsOf("packages/domain/src/accounts/delays/settleEnqueue.ts", jobs, [
    ["a node that lags judges an enqueue", "await requireFollowed(ctx, since)", "await ctx.chain.getBlock()"],
    [
      "a node that lacks the block of a refusal judges an enqueue",
      "requireFollowed(ctx, since)",
      "requireFollowed(ctx)",
    ],
    [
      "another node than the one that named the head knows of an enqueue",
      "messageHash }, head.number)",
      "messageHash })",
    ],
  ]),
  ...mutantsOf(
    "packages/domain/src/spending/payments/carryOutTransfer.ts",
    ["tests/long/attacks.test.ts"],
    [
      ["a spend may use more gas than a block has", "{ gasMax: spendGasMax }", "{ gasMax: 20n * spendGasMax }"],
      ["code that is slow on purpose holds its spend up for ever", "return isChanged ?", "return isChanged && false ?"],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/relay/drainRelayer.ts",
    ["tests/long/relayer-drain.test.ts"],
    [["the last relayer is drained", `fail("relayers.last_active");`, ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/relay/pickRelayer.ts",
    ["tests/long/relayer-drain.test.ts"],
    [["a drained relayer keeps its Safes", "return closed.has(usual.address) ?", "return usual.address === null ?"]],
  ),
  ...mutantsOf(
    "packages/db/src/queries/chain/relay/laneStates.ts",
    ["tests/long/relayer-drain.test.ts"],
    [["a relayer with open transactions is retired", ", notExists(open)", ""]],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/relay/sweepRelayer.ts",
    ["tests/long/relayer-drain.test.ts"],
    [["a sweep leaves nothing for its fees", "feesReserved * quote", "0n * quote"]],
  ),
  ...mutantsOf("packages/domain/src/chain/relay/compareNonces.ts", jobs, [
    ["a database that went back counts our own transactions as foreign", "if (isLacking) return;", ""],
    ["a nonce that no row has stays free", "if (count !== undefined) await fillGap(ctx, sender, count);", ""],
  ]),
  ...mutantsOf("packages/domain/src/chain/relay/listRefusedLanes.ts", jobs, [
    [
      "a lane that the node refuses looks well",
      "newest.resends > resendDoublingsMax ? newest.refusal",
      "newest === null ? newest",
    ],
    ["one refusal of a moment is an alarm", "newest.resends > resendDoublingsMax", "newest.resends > 0"],
  ]),
  ...mutantsOf("packages/domain/src/chain/relay/countMined.ts", jobs, [
    ["one count of another chain moves every lane ahead", "? countOnChain(ctx, sender) : count", "? count : count"],
  ]),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/openSafe.ts",
    ["tests/long/restored-database.test.ts"],
    [["a lost Safe gets the cooldown of new ones", "lost?.periods ?? ctx.policy", "ctx.policy"]],
  ),
  ...mutantsOf(
    "packages/domain/src/accounts/safes/requestDeployment.ts",
    ["tests/long/restored-database.test.ts"],
    [
      [
        "a removed owner gets a lost Safe",
        "owners.includes(actor.signerAddress) ? lost : null",
        "owners.length > 0 ? lost : null",
      ],
    ],
  ),
  ...mutantsOf(
    "packages/domain/src/sync/reconciliations/reconcileSafes.ts",
    ["tests/long/restored-database.test.ts"],
    [
      ["a Safe that a stranger created stops the reconciliation", ".includes(false)", ".includes(false) && !account"],
      ["a lost Safe is its newest owner's alone", 'owners.join(" "),', 'owners.join(" ").slice(0, 42),'],
    ],
  ),
  ...mutantsOf("packages/domain/src/sync/reconciliations/reconcileTransactions.ts", jobs, [
    [
      "one count of another chain moves every lane ahead after a restore",
      "await countMined(ctx, relayer)",
      'BigInt(await ctx.chain.getTransactionCount(relayer, "latest"))',
    ],
  ]),
  ...mutantsOf("packages/domain/src/sync/reconciliations/detectRestore.ts", jobs, [
    [
      "one count of another chain begins a reconciliation",
      "await countMined(ctx, address)",
      'BigInt(await ctx.chain.getTransactionCount(address, "latest"))',
    ],
  ]),
  ...mutantsOf("packages/domain/src/chain/relay/fillGap.ts", jobs, [
    ["each look fills one of many nonces", "laneDepthMax)", "1)"],
    ["a count of another network has nonces filled that were used", "await countOnChain(ctx, address)", "counted"],
    [
      "a nonce is filled while a node may be behind",
      "waiting.createdAt.getTime() < gapMs",
      "waiting.createdAt.getTime() < 0",
    ],
  ]),
];
