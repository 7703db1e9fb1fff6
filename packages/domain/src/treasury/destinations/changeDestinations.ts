import { dayMs } from "@cardkeep/contract/core/durations";
import { fail } from "@cardkeep/contract/core/errors";
import { address } from "@cardkeep/contract/core/primitives";
import {
  insertDestination,
  listDestinations as listRows,
  removeDestination,
  type TreasuryDestination,
} from "@cardkeep/db/queries/treasury/destinations";
import { parseIban } from "@cardkeep/providers/emoney/iban";
import type { OperatorContext } from "../../core/context.ts";
import { generateId } from "../../core/generateId.ts";
import type { Services } from "../../core/services.ts";
import { requireApproval } from "../../operators/approvals/requireApproval.ts";

/** A destination counts a day after it was added: a person who did not expect it has the time to stop it. */
const waitMs = dayMs;

/** The allow-list: where money of the treasury may go. */
export const listDestinations = ({ db }: Pick<Services, "db">): Promise<TreasuryDestination[]> => listRows(db);

function parseDestination(text: string): Pick<TreasuryDestination, "kind" | "value"> {
  const iban = parseIban(text);
  if (iban !== null) return { kind: "iban", value: iban };
  const parsed = address.safeParse(text);
  return parsed.success
    ? { kind: "address", value: parsed.data }
    : fail("request.invalid", { text: "A destination is an IBAN or an address on chain" });
}

/**
 * Puts an IBAN or address on the allow-list, from a day later on.
 *
 * @param label the holder of an account, as the institution sends it to the bank
 * @throws treasury.known, request.invalid, operators.approval_needed
 */
export async function allowDestination(
  ctx: OperatorContext,
  { destination, label }: { destination: string; label: string },
): Promise<TreasuryDestination> {
  const { kind, value } = parseDestination(destination);
  const name = label.trim();
  if (name === "" || name.length > 140) fail("request.invalid", { text: "Give the holder of the account as label" });
  const subject = { kind: "treasury", id: value } as const;
  await requireApproval(ctx, "treasury.allow", { input: { destination: value, label: name }, subject });
  return ctx.act("treasury.allow", async ({ tx, now }) => {
    const usableAt = new Date(now.getTime() + waitMs);
    const row = { id: generateId(), kind, value, label: name, addedBy: ctx.actor.name, addedAt: now, usableAt };
    const output = (await insertDestination(tx, row)) ?? fail("treasury.known");
    return { output, subject, before: null, after: { kind, value, usableAt: usableAt.toISOString() } };
  });
}

/**
 * Takes an IBAN or address off the allow-list, at once. Moves to it that are not signed fail.
 *
 * @throws treasury.not_found, operators.approval_needed
 */
export async function disallowDestination(
  ctx: OperatorContext,
  { destination }: { destination: string },
): Promise<TreasuryDestination> {
  const { kind, value } = parseDestination(destination);
  const subject = { kind: "treasury", id: value } as const;
  await requireApproval(ctx, "treasury.disallow", { input: { destination: value }, subject });
  return ctx.act("treasury.disallow", async ({ tx, now }) => {
    const removed = { removedBy: ctx.actor.name, removedAt: now };
    const output = (await removeDestination(tx, value, removed)) ?? fail("treasury.not_found");
    return { output, subject, before: { kind, value }, after: null };
  });
}
