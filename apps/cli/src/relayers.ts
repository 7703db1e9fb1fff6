import { listRelayers } from "@cardkeep/domain/health/listRelayers";
import { formatUnits } from "@cardkeep/domain/wording";
import { z } from "zod";
import { defineCommand, type Noun } from "./command.ts";
import { renderTable } from "./print.ts";

const nativeDecimals = 18;

export const relayers: Noun = {
  summary: "The keys that pay for chain transactions",
  verbs: {
    list: defineCommand({
      summary: "Each relayer's nonces, funds and open transactions",
      input: z.object({}),
      run: async (session) => {
        const data = await listRelayers(await session.open());
        const rows = data.map((relayer) => [
          relayer.address,
          String(relayer.nextNonce),
          String(relayer.chainNonce),
          String(relayer.openCount),
          String(relayer.nonceGap),
          formatUnits(relayer.balance, nativeDecimals),
          String(relayer.operationsFunded),
        ]);
        const columns = [
          { title: "address" },
          { title: "next nonce", align: "right" as const },
          { title: "on chain", align: "right" as const },
          { title: "open", align: "right" as const },
          { title: "gap", align: "right" as const },
          { title: "native tokens", align: "right" as const },
          { title: "pays for", align: "right" as const },
        ];
        return { data, text: renderTable(columns, rows, "No relayer is configured.") };
      },
    }),
  },
};
