/** The API of web3signer for keys of the execution layer. Source: its OpenAPI document 1.2.0. */
import type { Hex } from "@cardkeep/contract/core/primitives";
import { z } from "zod";
import { keccak256 } from "viem";
import type { SandboxRuntime } from "../core/openStore.ts";
import { heldKeys, signDigest } from "./keys.ts";

/** The first part of its paths. */
export const web3signerPath = "/web3signer";

const isHex = (text: unknown): text is Hex => typeof text === "string" && /^0x([0-9a-fA-F]{2})*$/.test(text);
const hex = z.custom<Hex>(isHex);
const order = z.object({ data: hex, applyHash: z.boolean().default(true) });

/** Answers `upcheck`, the list of keys, and signatures as text: r, s and v. */
export async function answerWeb3signer(runtime: SandboxRuntime, request: Request, body: string): Promise<Response> {
  const { pathname } = new URL(request.url);
  const path = pathname.slice(web3signerPath.length);
  if (path === "/upcheck") return new Response("OK");
  if (path === "/api/v1/eth1/publicKeys") return Response.json(heldKeys.map(({ publicKey }) => publicKey));
  const identifier = /^\/api\/v1\/eth1\/sign\/(?:0x)?([0-9a-fA-F]{128})$/.exec(path)?.[1]?.toLowerCase();
  const key = heldKeys.find(({ publicKey }) => publicKey === `0x${identifier}`);
  if (!key || request.method !== "POST") return new Response("Resource not found", { status: 404 });
  const parsed = order.safeParse(parseJson(body));
  if (!parsed.success) return new Response("Bad request format", { status: 400 });
  const { data, applyHash } = parsed.data;
  if (!applyHash && data.length !== 66) return new Response("data must be 32 bytes", { status: 400 });
  const digest = applyHash ? keccak256(data) : data;
  const { r, s, v } = await signDigest(runtime, key, digest, `${request.method} ${pathname}`);
  return new Response(`${r}${s.slice(2)}${v.toString(16)}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
