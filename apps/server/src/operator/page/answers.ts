/** Answers of the operator's pages outside of the frame. */
import { plainHeaders } from "./frame.ts";

export const showPage = (page: string, status = 200, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(page, { status, headers: { ...plainHeaders, ...more } });

export const goOn = (to: string, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(null, { status: 303, headers: { "Cache-Control": "no-store", Location: to, ...more } });
