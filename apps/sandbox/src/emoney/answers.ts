/** Answers and errors in the institution's form. Source: docs.monerium.com, errors. */
import { STATUS_CODES } from "node:http";

/** An error with its HTTP status. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;
  /** The errors by field. */
  readonly errors: Readonly<Record<string, string>> | undefined;

  constructor(code: number, message: string, errors?: Readonly<Record<string, string>>) {
    super(message);
    this.code = code;
    this.errors = errors;
  }
}

export const answer = (status: number, body: object): Response => Response.json(body, { status });

export const refuse = (code: number, message: string, errors?: Readonly<Record<string, string>>): Response =>
  answer(code, { code, status: STATUS_CODES[code], message, ...(errors && { errors }) });

export const accepted = (): Response => answer(202, { code: 202, status: "Accepted" });
