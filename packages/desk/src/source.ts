/** Where rows come from: the verbs of this process, or an API elsewhere. */
import type { OperatorVerb } from "@cardkeep/domain/core/operators/verbs";
import type { OperatorContext } from "@cardkeep/domain/core/context";
import { requireRole } from "@cardkeep/domain/core/operators/requireRole";
import { fail } from "@cardkeep/contract/core/errors";
import type { Given, Noun, NounAct, NounShow, Overview, Position, Row } from "./noun.ts";

export interface DeskSource {
  list(noun: Noun, given: Given, position: Position): Promise<readonly Row[]>;
  show(noun: Noun, key: string): Promise<Row>;
  overview(noun: Noun): Promise<Overview>;
  act(noun: Noun, act: string, key: string, given: Given): Promise<Row>;
}

/** @throws request.not_found */
const getShow = ({ show }: Noun): NounShow => show ?? fail("request.not_found");
const getOverview = ({ overview }: Noun): NonNullable<Noun["overview"]> => overview ?? fail("request.not_found");
const getAct = ({ acts }: Noun, name: string): NounAct => acts[name] ?? fail("request.not_found");

/** The verbs of this process. Each call checks the operator's roles. @throws operators.forbidden, and what the verbs throw */
export const createVerbSource = (
  open: (verb: OperatorVerb, reason: string | null) => Promise<OperatorContext>,
): DeskSource => ({
  list: async ({ list }, given, position) => {
    const ctx = await open(list.verb, null);
    requireRole(ctx.actor, list.verb);
    return list.read(ctx, given, position);
  },
  show: async (noun, key) => {
    const show = getShow(noun);
    const ctx = await open(show.verb, null);
    requireRole(ctx.actor, show.verb);
    return show.read(ctx, key);
  },
  overview: async (noun) => {
    const overview = getOverview(noun);
    const ctx = await open(overview.verb, null);
    requireRole(ctx.actor, overview.verb);
    return overview.read(ctx);
  },
  act: async (noun, name, key, { reason, ...given }) => {
    const act = getAct(noun, name);
    const ctx = await open(act.verb, reason ?? null);
    requireRole(ctx.actor, act.verb);
    return act.run(ctx, key, given);
  },
});
