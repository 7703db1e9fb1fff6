import type { Executor } from "@cardkeep/db/client";
import { type ControlsVersion, listControls } from "@cardkeep/db/queries/cards/cardControls/versions";
import { describeRule } from "../../core/cardRules/describeRule.ts";
import { buildControlRules } from "./buildControlRules.ts";
import { readControls } from "./controls.ts";

/** A version of a cardholder's controls, in words. */
export interface DescribedControls {
  readonly version: number;
  readonly changedAt: Date;
  /** What it declines, a sentence each; none where it declines nothing. */
  readonly sentences: readonly string[];
}

/** Versions that are shown with a card. */
const shownMax = 10;

/** The newest versions of a card's controls, the one in force first. */
export async function describeControls(
  { db }: { db: Executor },
  { cardId }: { cardId: string },
): Promise<DescribedControls[]> {
  return (await listControls(db, cardId, shownMax)).map(describeVersion);
}

const describeVersion = (row: ControlsVersion): DescribedControls => ({
  version: row.version,
  changedAt: row.createdAt,
  sentences: [...buildControlRules(readControls(row)).values()].map(describeRule),
});
