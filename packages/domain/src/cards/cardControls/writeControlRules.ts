import type { RuleDefinition } from "@cardkeep/contract/cards/cardRules";
import type { Card } from "@cardkeep/db/queries/cards/cards";
import { type ControlRule, lockControlRules } from "@cardkeep/db/queries/cards/cardControls/rules";
import { isDeepStrictEqual } from "node:util";
import type { Work } from "../../core/context.ts";
import { writeRule, writeState, writeVersion } from "../ruleChanges/writeRule.ts";

/** How a rule of controls is called. */
const nameOf = (name: string): string => `Controls: ${name}`;

/**
 * Makes the user's rules on a card say what definitions say, and returns whether anything changed. A changed definition is a
 * further version of its rule. The card's row is locked.
 */
export async function writeControlRules(
  work: Work,
  { id: cardId, userId }: Card,
  definitions: ReadonlyMap<string, RuleDefinition>,
): Promise<boolean> {
  const known = new Map((await lockControlRules(work.tx, userId, cardId)).map((each) => [each.rule.name, each]));
  let isChanged = false;
  for (const [name, definition] of definitions) {
    const given = known.get(nameOf(name)) ?? null;
    known.delete(nameOf(name));
    if (given?.active && isDeepStrictEqual(given.active.definition, definition)) continue;
    isChanged = true;
    if (given === null) {
      const subject = { scope: "card", subjectId: cardId, userId } as const;
      const holder = { owner: "user", ownerId: userId } as const;
      await writeRule(work, { ...subject, ...holder, name: nameOf(name), definition, state: "ACTIVE" });
    } else {
      const { version } = await writeVersion(work, given.rule, definition);
      await writeState(work, given.rule, { version, state: "ACTIVE" });
    }
  }
  for (const rest of known.values()) isChanged = (await end(work, rest)) || isChanged;
  return isChanged;
}

async function end(work: Work, { rule, active }: ControlRule): Promise<boolean> {
  if (active === null) return false;
  await writeState(work, rule, { version: active.version, state: "INACTIVE" });
  return true;
}
