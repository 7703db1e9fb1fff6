/** The peer: the same read on Node as it is usually built there, with Fastify, pg and jose. */
import fastify from "fastify";
import { createLocalJWKSet, jwtVerify } from "jose";
import { readFileSync } from "node:fs";
import pg from "pg";

const { DATABASE_URL, PORT, JWKS = "" } = process.env;
const text = readFileSync(new URL("delays.sql", import.meta.url), "utf8");
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const findKey = createLocalJWKSet(JSON.parse(JWKS));
const rules = { algorithms: ["ES256"], issuer: "cardkeep", audience: "cardkeep:api", typ: "at+jwt" };

const string = { type: "string" };
const stringOrNull = { type: ["string", "null"] };
const delayedTransaction = {
  type: "object",
  properties: {
    id: string,
    safeAddress: string,
    transactionData: string,
    enqueueTaskId: string,
    dispatchTaskId: stringOrNull,
    readyAt: stringOrNull,
    operationType: string,
    userId: string,
    status: string,
    createdAt: string,
  },
};

const app = fastify();
app.get(
  "/api/v1/delay-relay",
  { schema: { response: { 200: { type: "array", items: delayedTransaction } } } },
  async (request, reply) => {
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const verified = await jwtVerify(token, findKey, rules).catch(() => null);
    if (verified === null) return reply.code(401).send({ error: "Unauthorized" });
    const { rows } = await pool.query({ name: "delays", text, values: [verified.payload["userId"]] });
    return rows.map((row) => ({
      ...row,
      readyAt: row.readyAt?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
    }));
  },
);
await app.listen({ host: "127.0.0.1", port: Number(PORT) });
process.stdout.write("listening\n");
