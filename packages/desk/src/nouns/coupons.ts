import { createCoupon, disableCoupon, listCoupons, newCoupon } from "@cardkeep/domain/cards/coupons/createCoupon";
import { defineNoun } from "../defineNoun.ts";
import { readBySchema, readNumber } from "../input.ts";
import { code, count, instant, status, text } from "../value.ts";

const creation = readBySchema(newCoupon, (code, { percent, maxRedemptions, ...given }) => ({
  ...given,
  code,
  percent: readNumber(percent),
  maxRedemptions: readNumber(maxRedemptions),
}));

export const coupons = defineNoun({
  name: "coupons",
  title: "Coupons",
  group: "People",
  brief: "Coupons that reduce the price of a card order",
  argument: { name: "code", label: "Code", brief: "Code of the coupon, in any letter case" },
  keyOf: (row) => row.code,
  list: {
    verb: "coupons.list",
    brief: "Lists coupons, newest first",
    example: "coupons list",
    lead: "A coupon reduces the price of a card order.",
    none: "There are no coupons.",
    hint: "Create one: `cardkeep coupons create SPRING --percent 20`.",
    filters: {},
    columns: [
      { name: "Code", of: (row) => code(row.code) },
      {
        name: "Discount",
        of: ({ percent, amountEur }) => text(percent === null ? `${amountEur} EUR` : `${percent} %`),
        isRight: true,
      },
      { name: "Used", of: (row) => count(row.redemptions), isRight: true },
      { name: "Of", of: (row) => count(row.redemptionsMax), isRight: true },
      { name: "Per user", of: (row) => count(row.perUserMax), isRight: true, terminal: "optional" },
      { name: "Active", of: (row) => status(row.active ? "yes" : "no") },
      { name: "Expires", of: (row) => instant(row.expiresAt) },
      { name: "Created", of: (row) => instant(row.createdAt) },
    ],
    read: listCoupons,
  },
  acts: {
    create: {
      verb: "coupons.create",
      label: "Make a coupon",
      brief: "Creates a coupon of a percentage or of an amount",
      example: [
        "coupons create SPRING --percent 20 --max-redemptions 100",
        "coupons create TENNER --amount 10.50 --expires-at 2030-01-01T00:00:00Z",
      ],
      inputs: {
        percent: {
          label: "Percent",
          brief: "Percentage of the price that the coupon takes off",
          placeholder: "1..100",
          isNumber: true,
        },
        amount: {
          label: "Amount in EUR",
          brief: "Amount that the coupon takes off, such as 12.50",
          placeholder: "EUR",
        },
        maxRedemptions: {
          label: "Orders in all",
          brief: "Number of orders that may use it; without it there is no limit",
          placeholder: "N",
          isNumber: true,
        },
        perUser: {
          label: "Orders of one user",
          brief: "Number of orders of one user that may use it; without it 1",
          placeholder: "N|unlimited",
        },
        expiresAt: {
          label: "Ends at",
          brief: "End of the coupon, such as 2030-01-01T00:00:00Z; without it there is none",
          placeholder: "INSTANT",
          calendar: "instant",
        },
      },
      check: creation.check,
      run: (ctx, key, given) => createCoupon(ctx, creation.parse(key, given)),
    },
    disable: {
      verb: "coupons.disable",
      brief: "Ends a coupon; orders that used it keep the discount",
      example: "coupons disable SPRING",
      offer: (row) =>
        row.active ? { label: `End ${row.code}`, consequence: "No order can use it any more.", isDanger: true } : null,
      run: (ctx, key) => disableCoupon(ctx, { code: key }),
    },
  },
});
