import { createCoupon, disableCoupon, listCoupons, newCoupon } from "@cardkeep/domain/cards/coupons/createCoupon";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { formatMoreHint, limit } from "./lists.ts";
import { optionalNumber, optionalText, parseInput, textArgument, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";
import { joinTexts, type Text } from "./texts.ts";

type Coupon = Awaited<ReturnType<typeof listCoupons>>[number];

const discountOf = ({ percent, amountEur }: Coupon): string => (percent === null ? `${amountEur} EUR` : `${percent} %`);

const renderCoupons = (coupons: readonly Coupon[]): Text =>
  renderTable(
    [
      { title: "code" },
      { title: "discount", align: "right" },
      { title: "used", align: "right" },
      { title: "of", align: "right" },
      { title: "per user", align: "right", optional: true },
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
      coupon.expiresAt,
      coupon.createdAt,
    ]),
    "There are no coupons. Create one: `cardkeep coupons create SPRING --percent 20`.",
  );

const codeArgument = textArgument("code", "Code of the coupon, in any letter case");

interface CouponFlags {
  percent?: number;
  amount?: string;
  maxRedemptions?: number;
  perUser?: string;
  expiresAt?: string;
}

export const coupons = buildRouteMap({
  docs: { brief: "Coupons that reduce the price of a card order" },
  routes: {
    list: buildVerb({
      verb: "coupons.list",
      brief: "Lists coupons, newest first",
      example: "coupons list",
      parameters: { flags: withJson({ limit }) },
      run: async (cli: CliContext, flags: { limit: number }) => {
        const data = await listCoupons(await cli.open(), flags);
        return { data, text: joinTexts(renderCoupons(data), formatMoreHint(data, flags.limit)) };
      },
    }),
    create: buildChange({
      verb: "coupons.create",
      brief: "Creates a coupon of a percentage or of an amount",
      example: [
        "coupons create SPRING --percent 20 --max-redemptions 100",
        "coupons create TENNER --amount 10.50 --expires-at 2030-01-01T00:00:00Z",
      ],
      parameters: {
        flags: withReason({
          percent: optionalNumber("1..100", "Percentage of the price that the coupon takes off"),
          amount: optionalText("EUR", "Amount that the coupon takes off, such as 12.50"),
          maxRedemptions: optionalNumber("N", "Number of orders that may use it; without it there is no limit"),
          perUser: optionalText("N|unlimited", "Number of orders of one user that may use it; without it 1"),
          expiresAt: optionalText(
            "INSTANT",
            "End of the coupon, such as 2030-01-01T00:00:00Z; without it there is none",
          ),
        }),
        positional: codeArgument,
      },
      run: async (
        cli: CliContext,
        { percent, amount, maxRedemptions, perUser, expiresAt }: CouponFlags,
        code: string,
      ) => {
        const input = parseInput(newCoupon, { code, percent, amount, maxRedemptions, perUser, expiresAt });
        const coupon = await createCoupon(await cli.open(), input);
        return { data: coupon, text: renderCoupons([coupon]) };
      },
    }),
    disable: buildChange({
      verb: "coupons.disable",
      brief: "Ends a coupon; orders that used it keep the discount",
      example: "coupons disable SPRING",
      parameters: { flags: withReason({}), positional: codeArgument },
      run: async (cli: CliContext, _: object, code: string) => {
        const coupon = await disableCoupon(await cli.open(), { code });
        return { data: coupon, text: renderCoupons([coupon]) };
      },
    }),
  },
});
