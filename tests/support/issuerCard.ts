/** A person with one virtual card, whose status a test compares with the issuer's. */
import { cards } from "@cardkeep/db/schema/tables";
import { eq } from "drizzle-orm";
import { expect } from "bun:test";
import { until } from "./poll.ts";
import type { RunningService } from "./service.ts";
import { becomeCardHolder, type CardHolder } from "./spending.ts";

/** An act that the issuer has confirmed, as its answer. */
export const did = (status: string) => ({ status: 200, body: { status } });

/** The same while the issuer has not confirmed it. */
export const pending = (status: string) => ({
  status: 200,
  body: { status, pending: true, pendingText: expect.stringContaining("card issuer") },
});

export interface IssuerCard {
  readonly ada: CardHolder;
  readonly cardId: string;
  /** `freeze`, `unfreeze` or `lost`. */
  move(verb: string, headers?: Record<string, string>): Promise<{ status: number; body: unknown }>;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads any answer of the service
  statusOf(): Promise<any>;
  atIssuerIs(): Promise<string>;
  fault(name: string, options?: object): Promise<unknown>;
  rowOf(): Promise<typeof cards.$inferSelect>;
  /** Waits until no call is open, and expects this status at the issuer. */
  untilSynced(status: string): Promise<void>;
}

export async function openIssuerCard(service: RunningService): Promise<IssuerCard> {
  const ada = await becomeCardHolder(service);
  const [{ id: cardId }] = (await ada.person.call("GET", "/cards")).body;
  const statusOf = async () => (await ada.person.call("GET", `/cards/${cardId}/status`)).body;
  const atIssuerIs = async () => (await ada.person.sandbox("GET", `/issuer/cards/${ada.cardToken}`)).body.status;
  const rowOf = async () => {
    const [row] = await service.runtime.db.select().from(cards).where(eq(cards.id, cardId));
    if (!row) throw new Error("The card has no row");
    return row;
  };
  return {
    ada,
    cardId,
    statusOf,
    atIssuerIs,
    rowOf,
    move: async (verb, headers) => {
      const { status, body } = await ada.person.call("POST", `/cards/${cardId}/${verb}`, undefined, headers);
      return { status, body };
    },
    fault: (name, options = {}) => ada.person.sandbox("PUT", `/faults/${name}`, options),
    untilSynced: (status) =>
      until(async () => {
        const row = await rowOf();
        if (row.issuerSyncedStatus !== row.issuerStatus || row.issuerCallEndsAt !== null) return false;
        const [atIssuer, shown] = [await atIssuerIs(), await statusOf()];
        // A late event of the issuer's has the status set again, at any moment.
        if (!Bun.deepEquals(await rowOf(), row)) return false;
        expect(atIssuer).toBe(status);
        expect(shown).not.toHaveProperty("pending");
        return true;
      }),
  };
}
