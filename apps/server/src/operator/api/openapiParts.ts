/** Parts that descriptions of the operator's API share. */
export type Schema = Readonly<Record<string, unknown>>;

export const json = (schema: Schema) => ({ content: { "application/json": { schema } } });
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const word = (values?: readonly string[]): Schema => ({ type: "string", ...(values && { enum: values }) });

export const faults = (more: Readonly<Record<string, string>> = {}) =>
  Object.fromEntries(
    Object.entries({
      401: "The token is missing, or opens nothing",
      403: "None of the operator's roles allows this",
      429: "Too many requests",
      500: "A fault of the service's own",
      503: "A part is away",
      ...more,
    }).map(([status, description]) => [status, { description, ...json(ref("Fault")) }]),
  );
