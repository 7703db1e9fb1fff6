import { createCoupon, newCoupon } from "@cardkeep/domain/coupons/create";
import { disableCoupon } from "@cardkeep/domain/coupons/disableCoupon";
import { listCoupons } from "@cardkeep/domain/coupons/listCoupons";
import { formatInstant } from "@cardkeep/domain/wording";
import { z } from "zod";
import { defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderTable } from "./print.ts";

type Coupon = Awaited<ReturnType<typeof listCoupons>>[number];

const discountOf = ({ percent, amountEur }: Coupon): string => (percent === null ? `${amountEur} EUR` : `${percent} %`);

const renderCoupons = (coupons: readonly Coupon[]): string =>
  renderTable(
    [
      { title: "code" },
      { title: "discount", align: "right" },
      { title: "used", align: "right" },
      { title: "of", align: "right" },
      { title: "per user", align: "right" },
      { title: "active" },
      { title: "expires" },
      { title: "created" },
    ],
    coupons.map((coupon) => [
      coupon.code,
      discountOf(coupon),
      String(coupon.redemptions),
      coupon.redemptionsMax === null ? "-" : String(coupon.redemptionsMax),
      coupon.perUserMax === null ? "-" : String(coupon.perUserMax),
      coupon.active ? "yes" : "no",
      formatInstant(coupon.expiresAt),
      formatInstant(coupon.createdAt),
    ]),
    "There are no coupons.",
  );

export const coupons: Noun = {
  summary: "What makes a card order cheaper",
  verbs: {
    list: defineCommand({
      summary: "Every coupon, newest first",
      flags: { limit: limitFlag },
      input: z.object({ limit }),
      run: async (session, input) => {
        const data = await listCoupons(await session.open(), input);
        return { data, text: renderCoupons(data) + formatMoreHint(data, input.limit) };
      },
    }),
    create: defineCommand({
      summary: "Makes a coupon of a percentage or of an amount; its code in any letter case",
      takes: ["code"],
      flags: {
        percent: { kind: "number", value: "1..100", summary: "Percentage taken off" },
        amount: { kind: "text", value: "EUR", summary: "Amount taken off, as 12.50" },
        maxRedemptions: { kind: "number", value: "N", summary: "How often it may be used; no end unless given" },
        perUser: { kind: "text", value: "N|unlimited", summary: "Orders of one user it may lower; one unless given" },
        expiresAt: { kind: "text", value: "INSTANT", summary: "As 2030-01-01T00:00:00Z; never unless given" },
      },
      input: newCoupon,
      run: async (session, input) => {
        const coupon = await createCoupon(await session.open(), input);
        return { data: coupon, text: renderCoupons([coupon]) };
      },
    }),
    disable: defineCommand({
      summary: "Ends a coupon; who has used it keeps the discount",
      takes: ["code"],
      input: z.object({ code: z.string() }),
      run: async (session, input) => {
        const coupon = await disableCoupon(await session.open(), input);
        return { data: coupon, text: renderCoupons([coupon]) };
      },
    }),
  },
};
