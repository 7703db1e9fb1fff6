import { type FeedRow, listFeed } from "@cardkeep/db/queries/partners/deliveries/feed";
import { listFeedGaps } from "@cardkeep/db/queries/partners/deliveries/restoredFeed";
import type { PartnerContext } from "../../core/context.ts";

const pageDefault = 100;
const pageMax = 500;

interface PulledEvent {
  id: string;
  sequence: number;
  subscriptionId: string;
  subscriptionSequence: number;
  eventType: string;
  data: Record<string, unknown>;
  createdAt: Date;
}

interface PulledGap {
  after: number;
  before: number;
  since: Date | null;
  until: Date;
}

const buildPulledEvent = ({ position, sequence, data, ...row }: FeedRow): PulledEvent => ({
  ...row,
  sequence: Number(position),
  subscriptionSequence: Number(sequence),
  // The outbox holds encoded events, each an object.
  data: data as Record<string, unknown>,
});

/** The partner's feed: the events that are pushed to its endpoint, always with the full payload. */
export async function pullEvents(
  ctx: PartnerContext,
  { after = 0, limit = pageDefault }: { after?: number | undefined; limit?: number | undefined },
): Promise<{ events: PulledEvent[]; next: number; gaps?: PulledGap[] }> {
  const from = { partnerId: ctx.partnerId, after: BigInt(after) };
  const [rows, gaps] = await Promise.all([
    listFeed(ctx.db, { ...from, limit: Math.min(limit, pageMax) }),
    listFeedGaps(ctx.db, from),
  ]);
  const events = rows.map(buildPulledEvent);
  const shown = gaps.map(({ since, until, ...gap }) => ({
    ...gap,
    since: since === null ? null : new Date(since),
    until: new Date(until),
  }));
  return { events, next: events.at(-1)?.sequence ?? after, ...(shown.length > 0 && { gaps: shown }) };
}
