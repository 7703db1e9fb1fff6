/** The settler of a mined relay transaction, by its purpose. */
import { writeNothing } from "@cardkeep/domain/core/context";
import type { Settlers } from "@cardkeep/domain/chain/relay/settler";
import { settleDispatch } from "@cardkeep/domain/accounts/delays/settleDispatch";
import { settleEnqueue } from "@cardkeep/domain/accounts/delays/settleEnqueue";
import { settleOrderReturn } from "@cardkeep/domain/cards/orders/carryOutReturn";
import { settleDeployment } from "@cardkeep/domain/accounts/safes/settleDeployment";
import { settleReturn } from "@cardkeep/domain/spending/payments/settleReturn";
import { settleSpend } from "@cardkeep/domain/spending/payments/settleSpend";
import { settleMove } from "@cardkeep/domain/treasury/moves/settleMove";
import { recordTopUp } from "@cardkeep/domain/chain/topUps/recordTopUp";

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
  "treasury.transfer": settleMove,
  "treasury.approve": settleMove,
  "relayer.sweep": async () => writeNothing,
  "relayer.topUp": recordTopUp,
  "relayer.fill": async () => writeNothing,
};
