import { keysOf } from "@cardkeep/contract/core/keysOf";
import { listAnyWalletTokens, moveAnyWalletToken } from "@cardkeep/domain/cards/cards/operatorWalletTokens";
import { buildRouteMap } from "@stricli/core";
import { buildChange, buildVerb } from "./answer.ts";
import type { CliContext } from "./context.ts";
import { parseChoice, textArgument, withJson, withReason } from "./parameters.ts";
import { renderTable } from "./print.ts";
import type { Text } from "./texts.ts";

type WalletToken = Awaited<ReturnType<typeof listAnyWalletTokens>>[number];

const render = (rows: readonly WalletToken[]): Text =>
  renderTable(
    [
      { title: "wallet token" },
      { title: "status" },
      { title: "wallet" },
      { title: "network", optional: true },
      { title: "device", elastic: true },
      { title: "changed" },
    ],
    rows.map(({ id, status, wallet, network, deviceType, deviceName, updatedAt }) => [
      id,
      status,
      wallet ?? "-",
      network,
      [deviceType, deviceName].filter((text) => text !== null).join(" ") || "-",
      updatedAt,
    ]),
    "The card is in no digital wallet.",
  );

const moves = { suspend: "suspended", resume: "active", delete: "deleted" } as const;
const acts = keysOf(moves);

export const walletTokens = buildRouteMap({
  docs: { brief: "Cards in digital wallets" },
  routes: {
    list: buildVerb({
      verb: "wallet-tokens.list",
      brief: "Lists the wallet tokens of one card, newest first",
      example: "wallet-tokens list 3f1c9a52",
      parameters: { flags: withJson({}), positional: textArgument("card", "Id or card token of the card") },
      run: async (cli: CliContext, _: object, card: string) => {
        const data = await listAnyWalletTokens(await cli.open(), { reference: card });
        return { data, text: render(data) };
      },
    }),
    set: buildChange({
      verb: "wallet-tokens.set",
      brief: "Suspends, resumes or deletes a wallet token",
      example: "wallet-tokens set intok_1a2b3c suspend --reason Stolen-phone",
      parameters: {
        flags: withReason({}),
        positional: {
          kind: "tuple",
          parameters: [
            { parse: String, placeholder: "id", brief: "Id of the wallet token" },
            { parse: parseChoice(acts), placeholder: "act", brief: `One of ${acts.join(", ")}` },
          ],
        },
      },
      run: async (cli: CliContext, _: object, id: string, act: keyof typeof moves) => {
        const data = await moveAnyWalletToken(await cli.open(), { id, status: moves[act] });
        return { data, text: render([data]) };
      },
    }),
  },
});
