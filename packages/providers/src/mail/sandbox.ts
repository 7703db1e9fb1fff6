import { z } from "zod";
import { callJson, type ReportCall } from "../http.ts";
import type { Mailer } from "./port.ts";

/** A mailer that writes to the sandbox's mailbox. */
export function createSandboxMailer(input: { url: string; timeoutMs: number; report?: ReportCall }): Mailer {
  return {
    send: async (mail) => {
      await callJson({
        url: `${input.url}/mailbox`,
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(mail),
        timeoutMs: input.timeoutMs,
        answer: z.unknown(),
        report: input.report,
      });
    },
  };
}
