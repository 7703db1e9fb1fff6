/** The digital wallets of a card, as a part of its page. */
import { fail } from "@cardkeep/contract/core/errors";
import type { WalletToken } from "@cardkeep/db/queries/cards/walletTokens";
import { moveAnyWalletToken } from "@cardkeep/domain/cards/cards/operatorWalletTokens";
import type { Html } from "@cardkeep/html/markup";
import { renderConfirm } from "../page/confirm.ts";
import { renderForeign } from "../page/foreignText.ts";
import { type Action, linkTo, may, type Table, type Visit } from "../page/page.ts";
import { renderCode, renderStatus } from "../page/parts.ts";
import { buildTable } from "../page/table.ts";

const formatDevice = ({ deviceType, deviceName }: WalletToken): string =>
  [deviceType, deviceName].filter((text) => text !== null).join(" ");

/** The wallet tokens of a card. */
export const buildWalletTable = (visit: Visit, rows: readonly WalletToken[]): Table =>
  buildTable(visit, {
    name: "wallet-tokens",
    none: "The card is in no digital wallet.",
    rows,
    columns: [
      { name: "Wallet token", text: ({ id }) => id, cell: ({ id }) => renderCode(id) },
      { name: "Status", text: ({ status }) => status, cell: ({ status }) => renderStatus(status) },
      { name: "Wallet", text: ({ wallet }) => wallet },
      { name: "Network", text: ({ network }) => network },
      { name: "Device", text: formatDevice, cell: (row) => renderForeign(formatDevice(row)) },
      { name: "Digits", text: ({ lastFourDigits }) => lastFourDigits },
      { name: "Changed", text: ({ updatedAt }) => updatedAt },
    ],
  });

const acts = [
  {
    act: "suspend",
    status: "suspended",
    label: "Suspend",
    from: ["active"],
    consequence: "Payments from that wallet decline.",
  },
  {
    act: "resume",
    status: "active",
    label: "Resume",
    from: ["suspended"],
    consequence: "Payments from that wallet are decided again.",
  },
  {
    act: "delete",
    status: "deleted",
    label: "Delete",
    from: ["requested", "active", "suspended"],
    consequence: "The card leaves that wallet. It cannot be undone.",
  },
] as const;

/** The forms that move them; none for an operator who may not. */
export const renderWalletForms = (visit: Visit, rows: readonly WalletToken[]): readonly Html[] =>
  may(visit, "wallet-tokens.set")
    ? rows.flatMap((row) =>
        acts
          .filter(({ from }) => from.some((status) => status === row.status))
          .map(({ act, status, label, consequence }) =>
            renderConfirm({
              action: `/operator/wallet-tokens/${row.id}`,
              label: `${label} wallet token … ${row.lastFourDigits ?? row.id.slice(-4)}`,
              consequence,
              hidden: { act },
              isDanger: status === "deleted",
            }),
          ),
      )
    : [];

/** @throws request.invalid for another act than those of the forms */
export const submitWalletToken: Action = async ({ ctx, params, form }) => {
  const { status } = acts.find(({ act }) => act === form.get("act")) ?? fail("request.invalid");
  const { cardId } = await moveAnyWalletToken(ctx, { id: params["id"] ?? "", status });
  return linkTo(`/operator/cards/${cardId}`, { done: "done" });
};
