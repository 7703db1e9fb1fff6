/** Where the programme's money is now: each account with its outside witness, and what moved today. */
import { centDecimals } from "@cardkeep/contract/core/currencies";
import { dayMs } from "@cardkeep/contract/core/durations";
import { toDecimal, type Token, tokenList } from "@cardkeep/chain/tokens";
import { listSettlementFunds, readSettlementLedger } from "@cardkeep/db/queries/chain/settlementFunds";
import { listCover, sumTopUpsSince } from "@cardkeep/db/queries/treasury/issuerMoney";
import { listOpenTreasuryItems } from "@cardkeep/db/queries/treasury/unannounced";
import { listOpenMoves, sumMovesSince } from "@cardkeep/db/queries/treasury/moves";
import { readDayFlows } from "@cardkeep/db/queries/treasury/returns";
import { listUnexplained, showUnexplained } from "../unannounced/listUnexplained.ts";
import { formatUnits } from "../../core/wording.ts";
import type { Services } from "../../core/services.ts";
import { listDestinations } from "../destinations/changeDestinations.ts";
import { showMovement } from "../unannounced/showMovement.ts";
import { readFloat } from "../moves/readFloat.ts";
import { isRedeemable, showMove } from "../moves/showMove.ts";

const formatCents = (cents: bigint): string => formatUnits(cents, centDecimals);

/** The money of one currency, in whole tokens; null where a witness has not been asked yet. */
export interface CurrencyMoney {
  token: string;
  currency: string;
  settlement: {
    address: string;
    /** On chain, and what the ledger requires there. */
    balance: string;
    required: string;
    float: string;
    /** What can be swept. */
    free: string;
  };
  treasury: { address: string; balance: string; redeemable: boolean };
  issuer: {
    balance: string | null;
    /** Sent and not there yet. */
    inTransit: string | null;
    hoursOfCover: number | null;
    transferHours: number | null;
    readAt: Date | null;
  };
  /** Since midnight of UTC: what went along each arrow. */
  today: {
    spent: string;
    returned: string;
    swept: string;
    contributed: string;
    redeemed: string;
    toppedUp: string;
    captured: string;
  };
}

/** Reads chain and rows at once. @throws ChainUnavailable */
export async function showTreasury(ctx: Services) {
  const { db, policy, chain } = ctx;
  const now = await ctx.clock.now(db);
  const today = new Date(Math.floor(now.getTime() / dayMs) * dayMs);
  const [ledger, funds, float, cover, moves, items, unexplained, destinations, moved, toppedUp, flows] =
    await Promise.all([
      readSettlementLedger(db),
      listSettlementFunds(db),
      readFloat(ctx, db, now),
      listCover(db),
      listOpenMoves(db),
      listOpenTreasuryItems(db),
      listUnexplained(db, policy.statementTimeZone),
      listDestinations(ctx),
      sumMovesSince(db, today),
      sumTopUpsSince(db, today),
      readDayFlows(db, today),
    ]);
  const read = async (token: Token): Promise<CurrencyMoney> => {
    const of = (amount: bigint): string => toDecimal(amount, token);
    const [settlement, treasury] = await Promise.all(
      [policy.settlementAddress, policy.treasuryAddress].map((owner) => chain.getTokenBalance(token.address, owner)),
    );
    const held = settlement ?? 0n;
    const kept = float(token);
    const known = cover.find(({ currency }) => currency === token.fiat);
    const { booked = 0n, returning = 0n } = ledger.get(token.symbol) ?? {};
    const required = booked - returning > 0n ? booked - returning : 0n;
    const sumOf = (kind: string): string => of(moved.get(`${kind} ${token.symbol}`) ?? 0n);
    const flow = flows.get(token.fiat);
    return {
      token: token.symbol,
      currency: token.fiat,
      settlement: {
        address: policy.settlementAddress,
        balance: of(held),
        required: of(required),
        float: of(kept),
        free: of(held > kept ? held - kept : 0n),
      },
      treasury: { address: policy.treasuryAddress, balance: of(treasury ?? 0n), redeemable: isRedeemable(token.fiat) },
      issuer: {
        balance: known ? formatCents(known.balanceCents) : null,
        inTransit: known ? formatCents(known.inTransitCents) : null,
        hoursOfCover: known?.hours ?? null,
        transferHours: known?.transferHours ?? null,
        readAt: known?.readAt ?? null,
      },
      today: {
        spent: of(flow?.spent ?? 0n),
        returned: of(flow?.returned ?? 0n),
        swept: sumOf("sweep"),
        contributed: sumOf("contribute"),
        redeemed: sumOf("redeem"),
        toppedUp: formatCents(toppedUp.get(token.fiat) ?? 0n),
        captured: formatCents(flow?.capturedCents ?? 0n),
      },
    };
  };
  return {
    at: now,
    comparedAt: funds[0]?.comparedAt ?? null,
    money: await Promise.all(tokenList.map(read)),
    openMoves: moves.map(showMove),
    openItems: items.map(showMovement),
    unexplained: unexplained.map(showUnexplained),
    destinations: destinations.map(({ id, kind, value, label, addedBy, addedAt, usableAt }) => {
      return { id, kind, value, label, addedBy, addedAt, usableAt, usable: usableAt <= now };
    }),
  };
}
export type Treasury = Awaited<ReturnType<typeof showTreasury>>;
