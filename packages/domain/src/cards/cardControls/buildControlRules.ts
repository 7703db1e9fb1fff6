/** A cardholder's controls as card rules, so that the interpreter of rules alone decides. Pure. */
import type { CardControls } from "@cardkeep/contract/cards/cardControls";
import type { CardChannel, RuleCondition, RuleDefinition } from "@cardkeep/contract/cards/cardRules";

type Channel = keyof CardControls["channels"];

/** Payments by telephone and mail go without the card, as those online do. */
const channelsOf: Readonly<Record<Channel, readonly CardChannel[]>> = {
  online: ["online", "keyed"],
  contactless: ["contactless"],
  chip: ["chip"],
  magstripe: ["magstripe"],
  cashMachine: ["cash_machine"],
};
const channels = ["online", "contactless", "chip", "magstripe", "cashMachine"] as const satisfies readonly Channel[];

/** The definitions that controls stand for, each with the name of its rule. Each declines by itself. */
export function buildControlRules(controls: CardControls): ReadonlyMap<string, RuleDefinition> {
  const { blockedCategories, allowedCountries, blockedCountries, perPaymentAmount, cashMachineDailyAmount } = controls;
  const off = channels.filter((channel) => !controls.channels[channel]).flatMap((channel) => channelsOf[channel]);
  const rules: [string, RuleCondition[]][] = [
    ["categories", blockedCategories.length === 0 ? [] : [{ type: "mcc", operator: "in", values: blockedCategories }]],
    [
      "countries",
      allowedCountries !== null
        ? [{ type: "country", operator: "not_in", values: allowedCountries }]
        : blockedCountries !== null
          ? [{ type: "country", operator: "in", values: blockedCountries }]
          : [],
    ],
    ["channels", off.length === 0 ? [] : [{ type: "channel", operator: "in", values: off }]],
    [
      "payment",
      perPaymentAmount === null ? [] : [{ type: "amount", operator: "above", cents: Number(perPaymentAmount) }],
    ],
    ...controls.limits.map(({ window, amount }): [string, RuleCondition[]] => [
      `limit ${window}`,
      [{ type: "sum", window, per: "card", aboveCents: Number(amount) }],
    ]),
    ["cash machines", cashMachineDailyAmount === null ? [] : limitCash(cashMachineDailyAmount)],
    ["merchant", lockMerchant(controls.merchantLock)],
    ["one time", controls.oneTime ? [{ type: "count", window: "always", per: "card", above: 1 }] : []],
    ["known merchants", controls.requireKnownMerchant ? [{ type: "new_merchant", per: "user" }] : []],
  ];
  return new Map(rules.flatMap(([name, conditions]) => (conditions.length === 0 ? [] : [[name, { conditions }]])));
}

const limitCash = (amount: bigint): RuleCondition[] => [
  { type: "channel", operator: "in", values: ["cash_machine"] },
  { type: "sum", window: "day", per: "card", aboveCents: Number(amount) },
];

/** Without a merchant the first payment names it: later ones to a merchant that the card has not paid are declined. */
function lockMerchant({ enabled, merchant }: CardControls["merchantLock"]): RuleCondition[] {
  if (!enabled) return [];
  if (merchant !== null) return [{ type: "merchant", operator: "not_in", values: [merchant] }];
  return [
    { type: "new_merchant", per: "card" },
    { type: "count", window: "always", per: "card", above: 1 },
  ];
}
