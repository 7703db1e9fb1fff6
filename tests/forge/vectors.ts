/** Calls that an owner may queue, of every class that matters, and what the service's own policy says of each. */
import { delayAbi, multiSendAbi, rolesAbi } from "@cardkeep/chain/abis";
import { buildSetAllowance } from "@cardkeep/chain/allowance";
import { type Call, operationCodes, type OperationType } from "@cardkeep/chain/call";
import { buildDispatch } from "@cardkeep/chain/delay";
import { deployments, sentinelAddress, spendingAllowanceKey } from "@cardkeep/chain/deployments";
import { classifyEntry, type EntryKind, type EntryPolicy } from "@cardkeep/chain/entryPolicy";
import { buildAddOwner } from "@cardkeep/chain/owners";
import { packSteps } from "@cardkeep/chain/packSteps";
import { buildApproval, buildTransfer, tokens } from "@cardkeep/chain/tokens";
import type { Address, Hex } from "@cardkeep/contract/core/primitives";
import fc from "fast-check";
import { concat, encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";

/** In the order of the numbers in `World.sol`; the first stands for a violation. */
const kinds: readonly (EntryKind | null)[] = [null, "native", "token", "owner.add", "owner.remove", "limit", "allowed"];

/** The addresses that calls of these tests name. */
export interface Cast {
  /** Keys that may become owners, and the contracts that are owners from the start. */
  owners: readonly [Address, ...Address[]];
  payee: Address;
  stranger: Address;
  hostile: Address;
  plain: Address;
}

const eachClass = 24;
const ether = 10n ** 18n;
const day = 86_400n;
const hostAbi = parseAbi([
  "function enableModule(address module)",
  "function disableModule(address prevModule, address module)",
  "function addOwnerWithThreshold(address owner, uint256 threshold)",
  "function swapOwner(address prevOwner, address oldOwner, address newOwner)",
  "function changeThreshold(uint256 threshold)",
  "function setFallbackHandler(address handler)",
  "function setGuard(address guard)",
  "function setAvatar(address avatar)",
  "function setTarget(address target)",
  "function transferOwnership(address newOwner)",
  "function renounceOwnership()",
  "function setTxCooldown(uint256 cooldown)",
  "function setTxExpiration(uint256 expiration)",
  "function setTxNonce(uint256 nonce)",
  "function lend(address to, uint256 amount)",
  "function burn(uint256 amount)",
  "function signMessage(bytes data)",
]);

interface Drawn {
  call: Call;
  operation: OperationType;
  /** Queued right behind this one. */
  next?: Call;
}

const at = (to: Address, data: Hex, value = 0n): Call => ({ to, value, data });
const host = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: hostAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);

/** One arbitrary for each class of calls. The same number of each is drawn, so that a mutant of one class is met soon. */
function listClasses({ account, limitMax, periodSecondsMin }: EntryPolicy, cast: Cast) {
  const { safe, delay, roles, bouncer } = account;
  const owner = fc.constantFrom(...cast.owners);
  const small = fc.bigInt({ min: 0n, max: 400n * ether });
  const amount = fc.oneof(
    { weight: 9, arbitrary: small },
    { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 128n }) },
  );
  const to = fc.oneof(
    { weight: 4, arbitrary: fc.constant(cast.payee) },
    { weight: 1, arbitrary: fc.constantFrom(safe, ...cast.owners) },
  );
  const calls = (call: fc.Arbitrary<Call>) => call.map((one): Drawn => ({ call: one, operation: "CALL" }));
  const delegates = (call: fc.Arbitrary<Call>) => call.map((one): Drawn => ({ call: one, operation: "DELEGATECALL" }));
  const transfer = (token: Address) =>
    fc.tuple(to, amount).map(([payee, units]) => buildTransfer({ token, to: payee, amount: units }));
  const period = fc.bigInt({ min: BigInt(periodSecondsMin), max: 30n * day });
  const within = fc.bigInt({ min: 0n, max: limitMax });
  const above = fc.bigInt({ min: limitMax + 1n, max: limitMax * 4n });
  const capped = fc.bigInt({ min: 1n, max: limitMax });
  const instant = fc.constantFrom(0n, 1_700_000_000n, 2n ** 40n);
  const overflowing = fc.bigInt({ min: 2n ** 64n - 2n ** 33n, max: 2n ** 64n - 1n });
  const limitAt =
    (target: Address, key: Hex = spendingAllowanceKey) =>
    (args: readonly bigint[]) => {
      const [balance = 0n, maxRefill = 0n, refill = 0n, seconds = 0n, startsAt = 0n] = args;
      const values = [key, balance, maxRefill, refill, seconds, startsAt] as const;
      return at(target, encodeFunctionData({ abi: rolesAbi, functionName: "setAllowance", args: values }));
    };
  const limit = limitAt(bouncer);
  const known = transfer(tokens.EURe.address);
  const approve = fc
    .constantFrom(tokens.EURe.address, tokens.GBPe.address)
    .map((token) => buildApproval({ token, spender: cast.stranger, amount: ether }));
  const allowed = fc.constant(buildApproval({ token: cast.plain, spender: cast.stranger, amount: ether }));
  const withMoney = (call: fc.Arbitrary<Call>) => call.map((one) => ({ ...one, value: 1n }));
  const lend = fc.constant(at(cast.plain, host("lend", cast.stranger, ether)));
  /** Each of a few calls as often as the others. */
  const each = (target: Address, datas: readonly Hex[]): Drawn[] =>
    datas.map((data) => ({ call: at(target, data), operation: "CALL" }));
  return [
    // What the service builds itself, and what an owner may do beside it.
    calls(known),
    calls(transfer(tokens.GBPe.address)),
    calls(fc.tuple(to, fc.bigInt({ min: 0n, max: ether })).map(([payee, value]) => at(payee, "0x", value))),
    calls(transfer(cast.hostile)),
    calls(transfer(cast.plain)),
    calls(owner.map((added) => buildAddOwner(delay, added))),
    calls(
      fc
        // The newest owner stands behind the sentinel.
        .tuple(fc.constantFrom(sentinelAddress, sentinelAddress, sentinelAddress, ...cast.owners), owner)
        .map(([previous, removed]) =>
          at(delay, encodeFunctionData({ abi: delayAbi, functionName: "disableModule", args: [previous, removed] })),
        ),
    ),
    calls(
      fc
        .tuple(capped, period)
        .map(([refill, seconds]) => buildSetAllowance({ bouncer, refill, periodSeconds: seconds, startsAt: 0n })),
    ),
    calls(fc.tuple(within, capped, within, period, instant).map(limit)),
    calls(allowed),
    // Limits beyond the bounds, one argument at a time.
    calls(fc.tuple(above, capped, within, period, instant).map(limit)),
    calls(fc.tuple(within, above, within, period, instant).map(limit)),
    calls(fc.tuple(within, capped, above, period, instant).map(limit)),
    calls(fc.tuple(within, fc.constant(0n), capped, period, instant).map(limit)),
    calls(fc.tuple(within, capped, within, fc.bigInt({ min: 1n, max: day - 1n }), instant).map(limit)),
    calls(fc.tuple(within, capped, within, overflowing, instant).map(limit)),
    calls(fc.tuple(within, capped, within, period, overflowing).map(limit)),
    calls(fc.tuple(within, capped, within, period, instant).map(limitAt(bouncer, `0x${"11".repeat(32)}`))),
    calls(fc.tuple(within, capped, within, period, instant).map(limitAt(roles))),
    // Known calls in another form.
    delegates(transfer(cast.hostile)),
    delegates(allowed),
    delegates(fc.constant(at(deployments.signMessageLib, host("signMessage", "0x1234")))),
    delegates(
      approve.map((call) =>
        at(deployments.multiSend, encodeFunctionData({ abi: multiSendAbi, args: [packSteps([call])] })),
      ),
    ),
    calls(withMoney(transfer(cast.plain))),
    calls(withMoney(allowed)),
    calls(known.map((call) => ({ ...call, data: concat([call.data, "0x00"]) }))),
    // Powers over the account.
    calls(approve),
    calls(lend),
    calls(withMoney(lend)),
    calls(fc.constant(at(tokens.EURe.address, host("burn", ether)))),
    each(safe, [
      host("enableModule", cast.stranger),
      host("disableModule", sentinelAddress, roles),
      host("disableModule", sentinelAddress, delay),
      host("addOwnerWithThreshold", cast.stranger, 1n),
      host("swapOwner", sentinelAddress, "0x0000000000000000000000000000000000000002", cast.stranger),
      host("changeThreshold", 1n),
      host("setFallbackHandler", cast.hostile),
      host("setGuard", cast.hostile),
    ]),
    each(delay, [
      host("setTxCooldown", 0n),
      host("setTxExpiration", 60n),
      host("setTxNonce", 1n),
      host("setTxNonce", 2n),
      host("setAvatar", cast.stranger),
      host("setTarget", cast.stranger),
      host("transferOwnership", cast.stranger),
      host("renounceOwnership"),
    ]),
    each(roles, [
      host("enableModule", cast.stranger),
      host("setAvatar", cast.stranger),
      host("setTarget", cast.stranger),
      host("transferOwnership", cast.stranger),
    ]),
    known.map((call): Drawn => ({
      call: buildDispatch({ delay, call, operation: "CALL" }),
      operation: "CALL",
      next: call,
    })),
  ];
}

const repeat = (few: readonly Drawn[]): Drawn[] =>
  Array.from({ length: eachClass }, (_, index) => few[index % few.length]).flatMap((one) => one ?? []);

const vectorType = {
  type: "tuple[]",
  components: [
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "data", type: "bytes" },
    { name: "operation", type: "uint8" },
    { name: "kind", type: "uint8" },
    { name: "next", type: "uint16" },
  ],
} as const;

/** The vectors of a seed, each with the policy's verdict, as `World.sol` reads them. */
export function encodeVectors(
  policy: EntryPolicy,
  cast: Cast,
  seed: number,
): { vectors: Hex; verdicts: Record<string, number> } {
  const drawn = listClasses(policy, cast).flatMap((each, index) =>
    Array.isArray(each) ? repeat(each) : fc.sample(each, { numRuns: eachClass, seed: seed + index }),
  );
  const followers = drawn.flatMap(({ next }): Drawn[] => (next ? [{ call: next, operation: "CALL" }] : []));
  let follower = drawn.length;
  const rows = [...drawn, ...followers].map(({ call, operation, next }) => ({
    ...call,
    operation: operationCodes[operation],
    kind: kinds.indexOf(classifyEntry(call, operation, policy)),
    // Counted from 1: 0 is none.
    next: next ? ++follower : 0,
  }));
  const verdicts = Object.fromEntries(
    kinds.map((kind, index) => [kind ?? "violation", rows.filter((row) => row.kind === index).length]),
  );
  return { vectors: encodeAbiParameters([vectorType], [rows]), verdicts };
}
