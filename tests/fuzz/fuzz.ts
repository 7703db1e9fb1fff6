/** Fuzzing: thousands of requests generated from our own OpenAPI document, each answer checked against it. */
import fc from "fast-check";
import { z } from "zod";
import { becomeEligible, createVirtual } from "../support/cards.ts";
import { Person } from "../support/person.ts";
import { retry } from "../support/poll.ts";
import type { Service } from "../support/service.ts";
import { type FuzzRequest, type Operation, readOperations, requestsTo } from "./requests.ts";
import { createProcedureJudge, isProcedure, toProcedureCall } from "./trpc.ts";
import { inlineSchemas } from "../support/openapi.ts";

/** Operations tested in parallel. Requests of one operation are sequential, so that a failure can be reproduced. */
const sideBySide = 4;

export interface FuzzReport {
  readonly requests: number;
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Deviations from the document, one per operation. */
  readonly faults: readonly string[];
}

/** The callers, and the ids that they may name. */
export interface Party {
  readonly people: readonly (Person | null)[];
  readonly ids: readonly string[];
}

/** Sends `runs` requests to every operation, or to its procedure; the same seed sends the same ones. */
export async function fuzz(
  service: Service,
  { people, ids }: Party,
  options: { seed: number; runs: number; surface: "rest" | "trpc" },
): Promise<FuzzReport> {
  const described = readOperations(inlineSchemas(await (await fetch(`${service.url}/openapi.json`)).json()));
  const isRest = options.surface === "rest";
  const operations = isRest ? described : described.filter(isProcedure);
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  let requests = 0;
  const waiting = [...operations];
  const work = async (): Promise<void> => {
    for (let operation = waiting.shift(); operation; operation = waiting.shift()) {
      const judge = isRest ? createJudge(operation) : createProcedureJudge(operation);
      const property = fc.asyncProperty(requestsTo(operation, people.length, ids), async (request) => {
        const sent = isRest ? request : { ...request, ...toProcedureCall(operation, request) };
        const answer = await send(
          service,
          isRest || operation.method === "GET" ? operation.method : "POST",
          people[request.person] ?? null,
          sent,
        );
        requests++;
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
        judge(answer);
      });
      const result = await fc.check(property, { seed: options.seed, numRuns: options.runs, endOnFailure: true });
      if (result.failed) faults.push(describeFailure(operation, result));
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  return { requests, statuses, faults };
}

const describeFailure = (
  { id, method }: Operation,
  { counterexample, errorInstance }: fc.RunDetails<[FuzzRequest]>,
): string => `${id}: ${method} ${JSON.stringify(counterexample?.[0]).slice(0, 2_000)}: ${String(errorInstance)}`;

/**
 * A caller without a token, a wallet without a user, a user, and a person with an account, a card, an order and open
 * operations.
 */
export async function invite(service: Service): Promise<Party> {
  const [stranger, user, holder] = [new Person(service), new Person(service), new Person(service)];
  await Promise.all([stranger.signIn(), user.signIn(), becomeEligible(holder)]);
  await user.signUp();
  const card = await createVirtual(holder);
  await holder.call("POST", "/order/create", { personalizationSource: "KYC" });
  await holder.call("POST", "/owners", await holder.signNewOwner(stranger.account.address));
  const { body: orders } = await holder.call("GET", "/order/");
  const ids = [card, ...(orders as { id: string }[]).map(({ id }) => id)];
  // The person with an account calls most often.
  return { people: [null, stranger, user, holder, holder, holder], ids };
}

export interface FuzzAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function send(
  service: Service,
  method: string,
  person: Person | null,
  { path, body, headers }: FuzzRequest,
): Promise<FuzzAnswer> {
  const ask = () =>
    fetch(service.url + path, {
      method,
      headers: {
        ...(person?.token && { Authorization: `Bearer ${person.token}` }),
        ...(body !== null && { "Content-Type": "application/json" }),
        ...headers,
      },
      body,
      redirect: "manual",
    });
  // A busy machine's node may answer late, and then the service asks for a repetition.
  const isLate = ({ status, headers: answered }: Response) => status === 503 && answered.has("retry-after");
  const response = await retry(ask, (answer) => !isLate(answer));
  return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() };
}

/** Throws for an answer that the document does not permit for the operation. */
function createJudge({ responses }: Operation): (answer: FuzzAnswer) => void {
  const schemas = new Map([...responses].map(([status, schema]) => [status, schema && z.fromJSONSchema(schema)]));
  return ({ status, type, text }) => {
    const schema = schemas.get(status);
    if (schema === undefined || status >= 500) throw new Error(`answered ${status} ${text.slice(0, 500)}`);
    if (schema === null) {
      if (!type.startsWith("text/plain")) throw new Error(`answered ${type} where text is promised`);
      return;
    }
    if (!type.startsWith("application/json")) throw new Error(`answered ${type} where JSON is promised`);
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success) throw new Error(`answered ${status} ${text.slice(0, 500)}: ${z.prettifyError(parsed.error)}`);
  };
}
