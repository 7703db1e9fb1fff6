/** Mutants of what moves the programme's own money, and of what bounds a thief of the spender's key. */
import { mutantsOf } from "./mutant.ts";

const flow = ["tests/long/treasury.test.ts"];
const unit = ["tests/unit/issuer-cover.test.ts"];

export const treasuryMutants = [
  ...mutantsOf("packages/domain/src/treasury/moves/sweep.ts", flow, [
    ["a sweep takes the float", "if (amount <= free) return;", "if (amount <= balance + float) return;"],
    ["a contribution is more than there is", "if (balance < amount)", "if (balance < 0n)"],
  ]),
  ...mutantsOf("packages/domain/src/treasury/moves/bookMove.ts", flow, [
    ["a swept amount is missing", `if (kind === "sweep") return -amount;`, `if (kind === "sweep") return 0n;`],
    ["a contribution is beyond the ledger", `"contribute" ? amount : 0n`, `"contribute" ? 0n : 0n`],
  ]),
  ...mutantsOf("packages/domain/src/treasury/moves/findBurn.ts", flow, [
    ["two redeems have one burn", "hashes.find((hash) => !taken.includes(hash))", "hashes[0]"],
  ]),
  ...mutantsOf("packages/domain/src/treasury/moves/carryOutRedeem.ts", flow, [
    [
      "a redeem that was signed anew never meets its money",
      "createdAt: move.createdAt,",
      "createdAt: move.signedAt ?? move.createdAt,",
    ],
    ["a burn that is not named has no name", "named ?? (await findBurn(ctx, move))", "named ?? null"],
    [
      "a named transaction of something else is the burn",
      "receipt && hasTransfer(receipt.logs, burn) &&",
      "receipt &&",
    ],
    ["a burn that is not on chain yet is not waited for", "ageMs < burnMsMax", "ageMs < 0"],
    ["an order that a gateway refuses moved no money", "error.status === refusedOrder ||", "error.status > 0 ||"],
    [
      "an executed order that is refused once more moved no money",
      "if (await isPlaced(ctx, move)) return recordPlaced(ctx, move);\n    return failMove",
      "return failMove",
    ],
    [
      "an order that is signed anew was never placed",
      "failure !== null && !(await isPlaced(ctx, move))",
      "failure !== null",
    ],
    [
      "an order off the list was never placed",
      "return lookAgain(ctx, move, askAgainMs);\n  const order",
      `return failMove(ctx, move, "off the list");\n  const order`,
    ],
  ]),
  ...mutantsOf(
    "packages/providers/src/emoney/moneriumCalls.ts",
    ["tests/unit/monerium.test.ts"],
    [
      ["a gateway's 404 is the institution's", "refusal.safeParse(body).data?.code === status", "status < 500"],
      ["a gateway's 404 ends a consent", "tokenRefusals.includes(status)", "status < 500"],
    ],
  ),
  ...mutantsOf("packages/domain/src/treasury/moves/beginMove.ts", flow, [
    ["an order that is given twice is two", "if (open) fail(", "if (open && open.amount < 0n) fail("],
    [
      "an approval that waits undoes its later withdrawal",
      "if (isRevocation(move)) await withdrawWaiting(work, move);",
      "",
    ],
    ["a withdrawal ends approvals of another account", "other.source === source && ", ""],
  ]),
  ...mutantsOf("packages/domain/src/treasury/destinations/changeDestinations.ts", flow, [
    ["a destination counts at once", "now.getTime() + waitMs", "now.getTime()"],
  ]),
  ...mutantsOf(
    "packages/desk/src/nouns/treasuryActs.ts",
    ["tests/api/operator-api.test.ts"],
    [["a movement is booked on the account of the default", `given ?? "capital"`, `"capital"`]],
  ),
  ...mutantsOf(
    "packages/domain/src/chain/funds/compareFunds.ts",
    ["tests/flows/settlement-funds.test.ts"],
    [
      ["a node that lags shows money as gone", "if (isBehind) return null;", ""],
      ["another node than the one whose head was read is compared with", "owner, head.number)", "owner)"],
      ["returns under way end what a thief took", "missing > 0n ? least(", "missing < 0n ? least("],
    ],
  ),
  ...mutantsOf("packages/domain/src/treasury/moves/holdMove.ts", flow, [
    ["a stop keeps what a stolen spender's key may return", "amount === 0n;", "amount < 0n;"],
  ]),
  ...mutantsOf("packages/domain/src/treasury/approvals/renewApprovals.ts", flow, [
    ["a stop of the treasury lets the spender's approval be renewed", "if (!stopped) await renew(", "await renew("],
    [
      "a stop keeps a former spender's approval",
      "await revoke(ctx, look, former);",
      "if (!stopped) await revoke(ctx, look, former);",
    ],
    ["a node that lags has an approval renewed again", "if (isBehind) continue;", ""],
    ["another node than the one whose head was read is asked for what is left", "spender }, block);", "spender });"],
  ]),
  ...mutantsOf("packages/domain/src/chain/funds/approvalBudget.ts", flow, [
    [
      "the approval that stands is not counted",
      "given.length + 1 >= spenderApprovalsPerDay",
      "given.length >= spenderApprovalsPerDay",
    ],
    [
      "an approval is renewed while money is missing",
      `(await sumOpenItems(on, token)) > 0n ? "used"`,
      `(await sumOpenItems(on, token)) < 0n ? "used"`,
    ],
  ]),
  ...mutantsOf("packages/db/src/queries/treasury/issuerMoney.ts", flow, [
    ["money of a late redeem is overdue at once", "processedAt ?? fund.createdAt", "fund.createdAt"],
  ]),
  ...mutantsOf("packages/domain/src/treasury/issuerMoney/readIssuerMoney.ts", flow, [
    [
      "money that arrived long before its redeem was processed is never found",
      "Math.min(...waiting.map(findEarliest))",
      "now.getTime() - overlapDays * dayMs",
    ],
    [
      "money that came early by the issuer's clock is never found",
      "(causeId === null ? dayMs : machineSkewMs)",
      "(causeId === null ? dayMs : secondMs)",
    ],
  ]),
  ...mutantsOf("packages/domain/src/treasury/issuerMoney/forecastCover.ts", unit, [
    ["what is on its way never arrives", "left += cents", "left += 0n"],
    ["the week begins on Sunday", "(at.getUTCDay() + 6) % 7", "at.getUTCDay()"],
  ]),
  ...mutantsOf("packages/domain/src/treasury/issuerMoney/findArrival.ts", unit, [
    ["a late order leaves today", "isLate ? today + dayMs : today", "today"],
  ]),
  ...mutantsOf(
    "packages/domain/src/treasury/unannounced/listUnexplained.ts",
    ["tests/long/unexplained-money.test.ts"],
    [
      ["an explained item hides a later theft", "|| item.day < day", ""],
      ["strangers fill the list with less than a cent", "centsToBaseUnits(1n, token)", "0n"],
    ],
  ),
];
