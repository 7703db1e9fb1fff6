/** Replaces ids in answers by their objects. Source: docs.stripe.com/api/expanding_objects. */
import type { Tx } from "@cardkeep/db/client";
import { listIssuerObjectsById } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import { IssuerError } from "./route.ts";

const depthMax = 4;
const asked = z.object({ expand: z.array(z.string()).default([]) });
const fields = z.record(z.string(), z.unknown());
/** Fields that their own route shows. */
const secrets = ["number", "cvc"];

/** The answer with the objects that `expand` names, such as `card`, or `data.card` in a list. @throws IssuerError */
export async function expandReply(tx: Tx, answered: unknown, input: unknown): Promise<unknown> {
  const paths = asked.safeParse(input).data?.expand ?? [];
  let expanded = answered;
  for (const path of paths.filter((each) => !secrets.includes(each))) {
    const names = path.split(".");
    if (names.length > depthMax)
      throw new IssuerError(400, `You cannot expand more than ${depthMax} levels of ${path}`);
    expanded = await expand(tx, expanded, names, path);
  }
  return expanded;
}

async function expand(tx: Tx, value: unknown, names: readonly string[], path: string): Promise<unknown> {
  if (value === null) return value;
  if (Array.isArray(value)) return Promise.all(value.map((each) => expand(tx, each, names, path)));
  const [name, ...rest] = names;
  const of = fields.safeParse(typeof value === "string" ? await find(tx, value) : value).data;
  if (of === undefined) throw cannotExpand(path);
  if (name === undefined) return of;
  if (!Object.hasOwn(of, name)) throw cannotExpand(path);
  return { ...of, [name]: await expand(tx, of[name], rest, path) };
}

const find = async (tx: Tx, id: string): Promise<unknown> => (await listIssuerObjectsById(tx, [id]))[0]?.data;

const cannotExpand = (path: string): IssuerError =>
  new IssuerError(400, `This property cannot be expanded (${path}).`, { param: "expand" });
