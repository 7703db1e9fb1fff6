import { address } from "@cardkeep/contract/primitives";
import { summariseEffect } from "@cardkeep/domain/delays/effectWords";
import { listOperations } from "@cardkeep/domain/delays/listOperations";
import { timeline } from "@cardkeep/domain/delays/timeline";
import { formatInstant, shorten } from "@cardkeep/domain/wording";
import { z } from "zod";
import { defineCommand, type Noun } from "./command.ts";
import { limit, limitFlag, formatMoreHint } from "./lists.ts";
import { renderTable } from "./print.ts";
import { renderTimeline } from "./timeline.ts";

export const delays: Noun = {
  summary: "Delayed operations on Safes",
  verbs: {
    list: defineCommand({
      summary: "Operations, newest first",
      flags: {
        open: { kind: "switch", summary: "Those that have not ended only" },
        safe: { kind: "text", value: "ADDRESS", summary: "Those of one Safe only" },
        limit: limitFlag,
      },
      input: z.object({ open: z.boolean().default(false), safe: address.optional(), limit }),
      run: async (session, input) => {
        const ctx = await session.open();
        const data = await listOperations(ctx, {
          isOpenOnly: input.open,
          safeAddress: input.safe ?? null,
          limit: input.limit,
        });
        const rows = data.map((row) => [
          row.id,
          row.status,
          summariseEffect(row.effect),
          shorten(row.safeAddress),
          formatInstant(row.createdAt),
          formatInstant(row.readyAt),
        ]);
        const columns = [
          { title: "id" },
          { title: "status" },
          { title: "what", elastic: true },
          { title: "safe" },
          { title: "accepted" },
          { title: "ready" },
        ];
        return {
          data,
          text: renderTable(columns, rows, "There are no such operations.") + formatMoreHint(data, input.limit),
        };
      },
    }),
    show: defineCommand({
      summary: "One operation's timeline, from its acceptance to its end",
      takes: ["id"],
      input: z.object({ id: z.string() }),
      run: async (session, input) => {
        const data = await timeline(await session.open(), input);
        return { data, text: renderTimeline(data) };
      },
    }),
  },
};
