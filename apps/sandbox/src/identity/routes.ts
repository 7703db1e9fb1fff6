/** Routes for the people of the OpenID provider. */
import { z } from "zod";
import { defineSandboxRoute } from "../core/route.ts";
import { logOut } from "./logOut.ts";
import { changeOperator, forgetSessions, listOperators } from "./operators.ts";

const groupsMax = 20;
const groupLengthMax = 100;

export const readOperators = defineSandboxRoute({
  method: "GET",
  path: "/operators",
  summary: "The people who may sign in at /operator, with their groups",
  input: z.object({}),
  example: {},
  run: (runtime) => listOperators(runtime),
});

export const changeGroups = defineSandboxRoute({
  method: "PUT",
  path: "/operators/{id}/groups",
  summary: "Puts a person into these groups and no others; the service learns it when it asks again",
  input: z.object({ id: z.string(), groups: z.array(z.string().min(1).max(groupLengthMax)).max(groupsMax) }),
  example: { id: "vera-viewer", groups: ["operators-viewer", "operators-support"] },
  run: (runtime, { id, groups }) => changeOperator(runtime, id, { groups }),
});

export const switchOperator = defineSandboxRoute({
  method: "PUT",
  path: "/operators/{id}/status",
  summary: "Disables or enables a person; the service learns it when it asks again",
  input: z.object({ id: z.string(), isDisabled: z.union([z.boolean(), z.stringbool()]) }),
  example: { id: "vera-viewer", isDisabled: true },
  run: async (runtime, { id, isDisabled }) => {
    const changed = await changeOperator(runtime, id, { isDisabled });
    if (isDisabled) await forgetSessions(runtime, id);
    return changed;
  },
});

export const endOperatorSessions = defineSandboxRoute({
  method: "POST",
  path: "/operators/{id}/log-out",
  summary: "Signs a person out at the OpenID provider, which sends the service its logout token",
  input: z.object({ id: z.string() }),
  example: { id: "vera-viewer" },
  run: async (runtime, { id }) => {
    const operator = await changeOperator(runtime, id, {});
    await logOut(runtime, id);
    return operator;
  },
});
