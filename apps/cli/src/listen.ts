/** `cardkeep listen`: deliveries to the partner `sandbox` arrive at one's own machine. */
import type { EventType } from "@cardkeep/contract/partners/events";
import { buildCommand } from "@stricli/core";
import { describe } from "./answer.ts";
import { nameVerbs } from "./commandVerbs.ts";
import type { CliContext } from "./context.ts";
import { CommandError } from "./errors.ts";
import { parseEventTypes } from "./eventTypes.ts";
import { type Answer, findEventType, forward } from "./forward.ts";
import { type Arrived, findLastSequence, listArrived } from "./inbox.ts";
import { withJsonAlone } from "./parameters.ts";
import { cleanText, formatInstant } from "@cardkeep/domain/core/wording";
import { findSandbox, parseUrl, refuseInProduction, sandboxFlag } from "./sandbox.ts";
import { createStopSignal, sleep } from "./stopSignal.ts";

const pollMs = 250;
/** The longest kind of event. */
const eventTypeWidth = 34;

interface Flags {
  forwardTo: string;
  events?: EventType[];
  sandbox?: string;
  json?: boolean;
}

/** Forwards what arrives after the start, one after the other, until it is stopped. */
async function listenUntilStopped(cli: CliContext, flags: Flags): Promise<void> {
  const { process } = cli;
  const { forwardTo: to } = flags;
  const sandbox = findSandbox(cli, flags.sandbox);
  const signal = createStopSignal();
  const report = (text: string) => process.stderr.write(`${text}\n`);
  let last = await findLastSequence(sandbox, signal);
  report(`Deliveries to the partner \`sandbox\` are forwarded to ${to}. Ctrl-C ends.`);
  const forwardOne = async (delivery: Arrived): Promise<void> => {
    const retry = (error: string) => report(`${to} does not answer (${error}). Trying again for some seconds.`);
    const answer = await forward(delivery, { to, signal, report: retry });
    if (!signal.aborted)
      process.stdout.write(flags.json ? renderJsonLine(delivery, answer) : renderLine(delivery, answer));
  };
  let isLost = false;
  while (!signal.aborted) {
    try {
      // A sandbox that begins anew counts from 1 again.
      if (isLost && (await findLastSequence(sandbox, signal)) < last) last = 0;
      const arrived = await listArrived(sandbox, last, signal);
      if (isLost) report("The sandbox answers again.");
      isLost = false;
      for (const delivery of arrived) {
        if (isWanted(delivery, flags.events)) await forwardOne(delivery);
        last = delivery.sequence;
      }
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      if (!isLost && !signal.aborted) report("The sandbox does not answer any more. Trying again.");
      isLost = true;
    }
    await sleep(pollMs, signal);
  }
}

function isWanted(delivery: Arrived, wanted: readonly EventType[] | undefined): boolean {
  const eventType = findEventType(delivery);
  return wanted === undefined || wanted.some((type) => type === eventType);
}

const idOf = ({ headers }: Arrived): string => headers["webhook-id"] ?? "-";

function renderLine(delivery: Arrived, answer: Answer): string {
  const at = formatInstant(delivery.receivedAt);
  const eventType = (findEventType(delivery) ?? "-").padEnd(eventTypeWidth);
  const outcome =
    "status" in answer
      ? String(answer.status)
      : `no answer (${answer.error}); resend it with \`cardkeep webhooks replay --id ${idOf(delivery)}\``;
  return `${cleanText(`${at}  ${eventType}  ${idOf(delivery)}  ${outcome}`)}\n`;
}

const renderJsonLine = (delivery: Arrived, answer: Answer): string =>
  `${JSON.stringify({
    at: delivery.receivedAt.toISOString(),
    eventType: findEventType(delivery),
    id: idOf(delivery),
    ...answer,
  })}\n`;

export const listen = nameVerbs(
  buildCommand<Flags, [], CliContext>({
    docs: describe({
      brief: "Forwards deliveries of the sandbox to your own receiver, with the headers and body that were signed",
      details:
        "It forwards what arrives at the partner `sandbox` after the start, and prints a line for each delivery: the sandbox's time, event, id\n" +
        "and the receiver's status. A receiver that does not answer is tried again for some seconds. Ctrl-C ends.",
      example: [
        "listen --forward-to http://localhost:4000/webhooks --events card.transaction.created",
        "listen --forward-to http://localhost:4000/webhooks",
      ],
    }),
    parameters: {
      flags: withJsonAlone({
        forwardTo: { kind: "parsed", parse: parseUrl, placeholder: "URL", brief: "Address of your receiver" },
        events: {
          kind: "parsed",
          parse: parseEventTypes,
          optional: true,
          placeholder: "A,B",
          brief: "Forward only these kinds of events",
        },
        sandbox: sandboxFlag,
      } as const),
    },
    async func(flags) {
      refuseInProduction();
      await listenUntilStopped(this, flags);
      this.process.exitCode = 0;
    },
  }),
  ["listen.run"],
);
