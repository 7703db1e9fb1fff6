/** The operator's API: lists, rows and acts of the described nouns as JSON, for programs and for the command line elsewhere. */
import { fail } from "@cardkeep/contract/core/errors";
import { givenId } from "@cardkeep/contract/core/primitives";
import { toCardkeepError } from "@cardkeep/domain/core/errors";
import { findFilterFault } from "@cardkeep/desk/filterWords";
import { writeWord } from "@cardkeep/desk/input";
import { findBytesMax, type Given, type Noun, type NounAct, type Row } from "@cardkeep/desk/noun";
import { deskNouns } from "@cardkeep/desk/nouns";
import type { OperatorActor } from "@cardkeep/domain/core/actor";
import { createOperatorContext, type OperatorContext } from "@cardkeep/domain/core/context";
import { findDone, recordDone, recordOnce } from "@cardkeep/domain/operators/idempotency/actOnce";
import { requireKey } from "@cardkeep/domain/core/performOnce";
import { readReason } from "@cardkeep/domain/core/operators/reason";
import { requireRole } from "@cardkeep/domain/core/operators/requireRole";
import type { Runtime } from "@cardkeep/runtime/compose";
import { createHash } from "node:crypto";
import type { Elysia } from "elysia";
import { z } from "zod";
import { readJson } from "../../body.ts";
import { readAdmitted } from "../../readAdmitted.ts";
import { requestIdOf } from "../../caller.ts";
import { withDeadline } from "../../deadline.ts";
import { logError } from "../../observe.ts";
import { urlOf } from "../../url.ts";
import { answerFile } from "../page/answerFile.ts";
import { authenticateOperator } from "./authenticate.ts";
import { mountExportApi } from "./exports.ts";
import { answerFault, answerJson, base } from "./answers.ts";
import { mountSessions } from "./sessions.ts";
import { buildOperatorOpenapi } from "./openapi.ts";

const [limitDefault, limitMax] = [50, 1_000];

interface Call {
  readonly ctx: OperatorContext;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
}

const clean = (text: string): string => givenId.decode(text);

const readLimit = (given: string | null): number => {
  if (given === null) return limitDefault;
  const limit = Number(given);
  return Number.isInteger(limit) && limit >= 1 && limit <= limitMax
    ? limit
    : fail("request.invalid", { text: `limit must be a whole number from 1 to ${limitMax}` });
};

/** Refuses a filter that does not exist, and a word that it does not have. */
function readFilters({ list }: Noun, query: URLSearchParams): Given {
  const words = [...query].filter(([name]) => !["limit", "after", "view"].includes(name));
  const fault = findFilterFault(list, words);
  if (fault !== null) fail("request.invalid", { text: fault });
  return Object.fromEntries(words.map(([name, word]) => [name, clean(word)]));
}

const isWithValues = (query: URLSearchParams): boolean => query.get("view") === "values";

const showRow = ({ key, data, fields, cells }: Row, query: URLSearchParams) => ({
  key,
  data,
  ...(isWithValues(query) && { fields, cells }),
});

async function answerList(noun: Noun, { ctx, query }: Call): Promise<unknown> {
  const { list } = noun;
  const limit = list.isWhole ? Number.MAX_SAFE_INTEGER : readLimit(query.get("limit"));
  const after = query.get("after");
  const position = { after: after && clean(after), limit: list.isWhole ? limit : limit + 1 };
  const rows = await list.read(ctx, readFilters(noun, query), position);
  const shown = rows.slice(0, limit);
  return {
    rows: shown.map(({ key, data, cells }) => ({ key, data, ...(isWithValues(query) && { cells }) })),
    next: rows.length > limit ? (shown.at(-1)?.key ?? null) : null,
    ...(isWithValues(query) && { columns: list.columns }),
  };
}

/** The row as it is now, for an act that was done before; without data where the act left none. */
async function findRow({ show, list }: Noun, ctx: OperatorContext, key: string): Promise<Row> {
  const none = { key, data: null, cells: [], fields: [], offers: {} };
  if (show !== null) return orNone(show.read(ctx, key), none);
  const rows = await list.read(ctx, {}, { after: null, limit: limitMax });
  return rows.find((row) => row.key.toLowerCase() === key.toLowerCase()) ?? none;
}

const orNone = (row: Promise<Row>, none: Row): Promise<Row> =>
  row.catch((error: unknown) => {
    // The act was done, so nothing is wrong with what its caller sent.
    if (toCardkeepError(error).status < 500) return none;
    throw error;
  });

const actBody = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.object({}).loose()]),
);

interface ActRequest {
  readonly noun: Noun;
  readonly act: NounAct;
  readonly path: string;
}

/** Finds who asks, with the role of the act. */
type Prove = () => Promise<OperatorActor>;

/** Does an act, and answers the row, or its file. */
async function answerAct(
  runtime: Runtime,
  {
    request,
    params,
    actor,
    prove,
    requestId,
  }: { request: Request; params: Call["params"]; actor: OperatorActor; prove: Prove; requestId: string },
  { noun, act, path }: ActRequest,
): Promise<unknown> {
  const body = (await readAdmitted(() => readJson(request, findBytesMax(act)), prove)) ?? {};
  const parsed = actBody.safeParse(body);
  if (!parsed.success) fail("request.invalid", { text: "The body must be an object of inputs" });
  const given = Object.fromEntries(
    Object.entries(parsed.data ?? {}).flatMap(([name, value]) => {
      const word = writeWord(act.inputs[name], value);
      return word === null ? [] : [[name, clean(word)]];
    }),
  );
  const names = [...Object.keys(act.inputs), "reason", ...(act.isOfRow || act.isKeyless ? [] : [noun.argument.name])];
  const unknown = Object.keys(parsed.data ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined) fail("request.invalid", { text: `There is no input ${unknown}` });
  const key = clean((act.isOfRow ? params["key"] : given[noun.argument.name]) ?? "");
  const reason = readReason(act.verb, given["reason"] ?? null);
  const idempotencyKey = request.headers.get("idempotency-key");
  if (idempotencyKey !== null) requireKey(idempotencyKey);
  const once =
    idempotencyKey === null || act.file !== undefined
      ? null
      : {
          scope: `operator:${actor.id}:${path}`,
          key: idempotencyKey,
          bodyHash: createHash("sha256")
            .update(JSON.stringify([key, given]))
            .digest("hex"),
        };
  const ctx = createOperatorContext(runtime.services, {
    log: runtime.log.child({ requestId }),
    requestId,
    actor,
    reason,
    ...(once && !act.endsAfterCommit && { alongside: recordOnce(once, act.verb) }),
  });
  if (act.file !== undefined) {
    const file = await act.file(ctx, key, given);
    const report = (error: unknown) =>
      logError(runtime, toCardkeepError(error), { requestId, operation: "operator-api" });
    return answerFile(file, file.pieces, report);
  }
  const done = once && (await findDone(ctx, once));
  // An act that makes a row may choose its key.
  if (done !== null)
    return showRow(await findRow(noun, ctx, act.isOfRow ? key : (done.subjectId ?? key)), urlOf(request).searchParams);
  const row = await act.run(ctx, key, given);
  if (once !== null && act.endsAfterCommit) await recordDone(ctx, once);
  return showRow(row, urlOf(request).searchParams);
}

/** Mounts the API of every described noun. */
export function mountOperatorApi(app: Elysia, runtime: Runtime): void {
  const handle = (
    { request, params = {} }: { request: Request; params?: Readonly<Record<string, string>> },
    verb: Parameters<typeof requireRole>[1],
    answer: (call: Call & { actor: OperatorActor; prove: Prove; requestId: string }) => Promise<unknown>,
  ): Promise<Response> =>
    withDeadline(async () => {
      const prove: Prove = async () => {
        const found = await authenticateOperator(app, runtime, request);
        requireRole(found, verb);
        return found;
      };
      const actor = await prove();
      const requestId = requestIdOf(request);
      const { services, log } = runtime;
      const ctx = createOperatorContext(services, { log: log.child({ requestId }), requestId, actor, reason: null });
      const answered = await answer({ ctx, query: urlOf(request).searchParams, params, actor, prove, requestId });
      return answered instanceof Response ? answered : answerJson(answered);
    }).catch((error: unknown) => answerFault(runtime, request, error));
  mountSessions(app, runtime);
  let openapi: string | null = null;
  app.get(`${base}/openapi.json`, () => {
    openapi ??= JSON.stringify(buildOperatorOpenapi(runtime.settings.publicUrl));
    return new Response(openapi, { headers: { "Content-Type": "application/json" } });
  });
  mountExportApi(app, runtime);
  for (const noun of deskNouns) {
    const { name, list, show, overview, acts } = noun;
    app.get(`${base}/${name}`, (incoming) => handle(incoming, list.verb, (call) => answerList(noun, call)));
    if (overview !== undefined)
      app.get(`${base}/${name}/overview`, (incoming) =>
        handle(incoming, overview.verb, async ({ ctx, query }) => {
          const { data, tables } = await overview.read(ctx);
          return { data, ...(isWithValues(query) && { tables }) };
        }),
      );
    if (show !== null)
      app.get(`${base}/${name}/:key`, (incoming) =>
        handle(incoming, show.verb, async ({ ctx, params, query }) =>
          showRow(await show.read(ctx, clean(params["key"] ?? "")), query),
        ),
      );
    for (const [word, act] of Object.entries(acts)) {
      const path = [base, name, ...(act.isOfRow ? [":key"] : []), word].join("/");
      app.post(
        path,
        (incoming) =>
          handle(incoming, act.verb, (call) =>
            answerAct(runtime, { ...call, request: incoming.request }, { noun, act, path }),
          ),
        { parse: "none" },
      );
    }
  }
}
