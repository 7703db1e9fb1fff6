/** The operator's switches that stop parts of the service. */
import { fail } from "@cardkeep/contract/core/errors";
import {
  deleteStopSwitch,
  findStopSwitch,
  listStopped,
  lockStopSwitch,
  putStopSwitch,
  type StopSwitch,
} from "@cardkeep/db/queries/operators/stops";
import { type StopName, stopNames } from "@cardkeep/db/schema/operators/stops";
import { lockFailingPartners } from "@cardkeep/db/queries/partners/partners";
import { enqueueCardholderMirror } from "../../core/cardholders/mirrorCardholders.ts";
import type { OperatorContext } from "../../core/context.ts";
import { restartEndpoint } from "../../core/restartEndpoint.ts";
import { requireApproval, requireSame } from "../approvals/requireApproval.ts";
import type { Services } from "../../core/services.ts";

/** A switch; `stop` is null while its part runs. */
export interface StopState {
  readonly name: StopName;
  readonly stop: Omit<StopSwitch, "name"> | null;
}

/** Every switch. */
export async function listStops({ db }: Pick<Services, "db">): Promise<StopState[]> {
  const stopped = await listStopped(db);
  return stopNames.map((name) => {
    const { reason, operator, stoppedAt } = stopped.find((row) => row.name === name) ?? {};
    return { name, stop: reason && operator && stoppedAt ? { reason, operator, stoppedAt } : null };
  });
}

/** What a resumption ends. A stop that is stopped again keeps its instant, so the reason has to say which it is. */
const describeStop = (stop: StopSwitch | null) => ({
  stoppedAt: stop?.stoppedAt.toISOString() ?? null,
  stoppedBy: stop?.operator ?? null,
  stopReason: stop?.reason ?? null,
});

/**
 * Stops a part of the service, or resumes it. A stopped part gets the new reason.
 *
 * A second person approves to resume from the stop that was there when it was asked for, and from no later one.
 *
 * Waits for the requests that are being committed. After its commit nothing commits that the switch stops.
 *
 * @throws operators.reason_required, operators.forbidden, operators.approval_needed, approvals.changed
 */
export async function setStop(
  ctx: OperatorContext,
  { name, isStopped }: { name: StopName; isStopped: boolean },
): Promise<StopState> {
  const reason = ctx.reason ?? fail("operators.reason_required");
  const present = isStopped ? {} : describeStop(await findStopSwitch(ctx.db, name));
  await requireApproval(ctx, "stops.set", {
    input: { name, isStopped, ...present },
    subject: { kind: "stop", id: name },
  });
  return ctx.act("stops.set", async (work) => {
    const { tx, now } = work;
    await lockStopSwitch(tx, name);
    const before = await findStopSwitch(tx, name);
    if (!isStopped) requireSame(ctx, describeStop(before));
    const stop = isStopped ? { reason, operator: ctx.actor.name, stoppedAt: before?.stoppedAt ?? now } : null;
    await (stop === null ? deleteStopSwitch(tx, name) : putStopSwitch(tx, { name, ...stop }));
    if (name === "card-payments") await enqueueCardholderMirror(work, ctx.policy.chainId);
    if (name === "deliveries" && before !== null && !isStopped)
      for (const partner of await lockFailingPartners(tx)) await restartEndpoint(work, partner);
    return {
      output: { name, stop },
      subject: { kind: "stop", id: name },
      before: { isStopped: before !== null },
      after: { isStopped },
    };
  });
}
