import { expect, test } from "bun:test";
import { takesIdempotencyKey } from "@cardkeep/contract/core/routeErrors";
import { defineRoute, type StoresReply } from "@cardkeep/contract/core/route";
import { type CommitContext, reply, type UserContext } from "@cardkeep/domain/core/context";
import type { Verbs } from "@cardkeep/server/apiOperation";
import { z } from "zod";

const output = z.object({ ok: z.boolean() });
const common = { path: "/door", summary: "A door", output, errors: [], errorStyle: "error" } as const;

const look = defineRoute({ ...common, method: "GET", access: "user" });
const open = defineRoute({ ...common, method: "POST", access: "user" });
const signUp = defineRoute({ ...common, method: "POST", access: "wallet", holdsToken: true });
const knock = defineRoute({ ...common, method: "POST", access: "public" });
const peek = defineRoute({ ...common, method: "POST", access: "public", takesToken: true });
const ring = defineRoute({ ...common, method: "POST", access: "partner" });
const table = { doors: { look, open, signUp, knock, peek, ring } };

type Doors = Verbs<typeof table>["doors"];

/** Never called: it only has to compile, and each marked line must not. */
function neverCalled(): void {
  const write = async (): Promise<void> => {};
  const opens: Doors["open"] = async () => async (work) => {
    work.afterCommit(() => {});
    return { ok: true };
  };
  const prepares: Doors["open"] = async (ctx) => {
    await ctx.prepare(write);
    return reply({ ok: true });
  };
  // @ts-expect-error it answers an output without a commit
  const answers: Doors["open"] = async () => ({ ok: true });
  const commits: Doors["open"] = async (ctx) => {
    // @ts-expect-error it commits by itself, besides the commit that it answers
    await ctx.commit(write);
    return async () => ({ ok: true });
  };
  // @ts-expect-error it commits by itself and answers what that gave
  const commitsAlone: Doors["open"] = async (ctx: UserContext & CommitContext) =>
    ctx.commit(async () => ({ ok: true }));
  // @ts-expect-error its commit answers another output than the route's
  const mistakes: Doors["open"] = async () => async () => ({ isOpen: true });
  // @ts-expect-error its reply is another output than the route's
  const mistakesReply: Doors["open"] = async () => reply({ ok: "yes" });
  // @ts-expect-error it answers something else beside its commit
  const both: Doors["open"] = async () => ({ ok: true, commit: reply({ ok: true }) });
  const looks: Doors["look"] = async (ctx) => ctx.commit(async () => ({ ok: true }));
  const signsUp: Doors["signUp"] = async (ctx) => ctx.commit(async () => ({ ok: true }));
  const rings: Doors["ring"] = async () => reply({ ok: true });
  // @ts-expect-error a reply that is not stored is no commit
  const knocks: Doors["knock"] = async () => reply({ ok: true });
  void [opens, prepares, answers, commits, commitsAlone, mistakes, mistakesReply, both, looks, signsUp, knocks, rings];
}

test("a verb whose reply is stored answers one commit, and commits nothing else", () => {
  expect(neverCalled).toBeFunction();
});

test("the replies that types hold to a commit are those that are stored", () => {
  const looks: StoresReply<typeof look> = false;
  const opens: StoresReply<typeof open> = true;
  const signsUp: StoresReply<typeof signUp> = false;
  const knocks: StoresReply<typeof knock> = false;
  const peeks: StoresReply<typeof peek> = true;
  const rings: StoresReply<typeof ring> = true;
  const routes = [look, open, signUp, knock, peek, ring];
  expect(routes.map(takesIdempotencyKey)).toEqual([looks, opens, signsUp, knocks, peeks, rings]);
});
