/** The settler of a mined relay transaction, by its purpose. */
import { writeNothing } from "@cardkeep/domain/context";
import type { Settlers } from "@cardkeep/domain/relay/settler";
import { settleDispatch } from "@cardkeep/domain/delays/settleDispatch";
import { settleEnqueue } from "@cardkeep/domain/delays/settleEnqueue";
import { settleOrderReturn } from "@cardkeep/domain/orders/carryOutReturn";
import { settleDeployment } from "@cardkeep/domain/safes/settleDeployment";
import { settleReturn } from "@cardkeep/domain/spending/settleReturn";
import { settleSpend } from "@cardkeep/domain/spending/settleSpend";
import { recordTopUp } from "@cardkeep/domain/topUps/recordTopUp";

export const settlers: Settlers = {
  "safe.deploy": settleDeployment,
  "safe.create": settleDeployment,
  "safe.setUp": settleDeployment,
  "delay.enqueue": settleEnqueue,
  "delay.dispatch": settleDispatch,
  "delay.skip": settleDispatch,
  "delay.unblock": settleDispatch,
  "card.spend": settleSpend,
  "card.return": settleReturn,
  "order.return": settleOrderReturn,
  "relayer.sweep": async () => writeNothing,
  "relayer.topUp": recordTopUp,
  "relayer.fill": async () => writeNothing,
};
