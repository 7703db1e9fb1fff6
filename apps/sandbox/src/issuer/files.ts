/** Files, as the issuer keeps them. Source: docs.stripe.com/api/files. */
import { insertIssuerObject } from "@cardkeep/db/sandbox/issuerObjects";
import { z } from "zod";
import {
  defineIssuerRoute,
  generateIssuerId,
  getObject,
  IssuerError,
  type IssuerRoute,
  toUnixSeconds,
} from "./route.ts";

export const fileObject = "file";
export const evidencePurpose = "dispute_evidence";

const bytesMax = 5 * 1024 * 1024;
/** The first bytes of what the issuer takes as evidence. */
const kinds = [
  { type: "pdf", magic: "25504446" },
  { type: "jpg", magic: "ffd8ff" },
  { type: "png", magic: "89504e470d0a1a0a" },
];

const create = defineIssuerRoute({
  method: "POST",
  path: "/v1/files",
  input: z.object({ purpose: z.literal(evidencePurpose), file: z.instanceof(File, { message: "a file is needed" }) }),
  run: async ({ tx, now }, { purpose, file }) => {
    const bytes = Buffer.from(await file.arrayBuffer());
    const type = kinds.find(({ magic }) => bytes.toString("hex", 0, magic.length / 2) === magic)?.type;
    if (!type || bytes.byteLength > bytesMax)
      throw new IssuerError(400, "The file must be a PDF, JPEG or PNG of at most 5 MB", { param: "file" });
    const id = generateIssuerId("file");
    const data = {
      id,
      object: fileObject,
      created: toUnixSeconds(now),
      expires_at: null,
      filename: file.name,
      links: { object: "list", data: [], has_more: false, url: `/v1/file_links?file=${id}` },
      purpose,
      size: bytes.byteLength,
      title: null,
      type,
      url: null,
    };
    await insertIssuerObject(tx, { id, object: fileObject, data, hidden: {}, createdAt: now });
    return data;
  },
});

const retrieve = defineIssuerRoute({
  method: "GET",
  path: "/v1/files/{id}",
  input: z.object({ id: z.string() }),
  run: async ({ tx }, { id }) => (await getObject(tx, fileObject, id)).data,
});

export const fileRoutes: readonly IssuerRoute[] = [create, retrieve];
