/**
 * The address of a database as text, `postgres://user:password@host:port,host:port/database?parameter=value`.
 *
 * - node: one host with its port. An address may name several nodes of one cluster, as in libpq.
 */
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";

export interface DatabaseNode {
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress {
  readonly nodes: readonly [DatabaseNode, ...DatabaseNode[]];
  /** Null: the driver's default, PGUSER or the operating system's user. */
  readonly user: string | null;
  readonly password: string | null;
  /** Null: named as the user. */
  readonly database: string | null;
  readonly parameters: Readonly<Partial<Record<Parameter, string>>>;
}

/** An address that cannot be used. The message names the fault and never a password. */
export class DatabaseAddressError extends Error {
  override readonly name = "DatabaseAddressError";
}

const sslModes = ["disable", "require", "verify-ca", "verify-full"];
const nodeKinds = ["read-write", "primary", "any", "standby", "prefer-standby"];

/** The accepted values of each parameter; null: any text. */
const parameters = {
  sslmode: sslModes,
  sslrootcert: null,
  sslcert: null,
  sslkey: null,
  target_session_attrs: nodeKinds,
} as const satisfies Record<string, readonly string[] | null>;
type Parameter = keyof typeof parameters;

const shape = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^/?#]*))?(?:\?([^#]*))?$/;
const nodeShape = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i;
const form = "must be postgres://user:password@host:port/database, with / ? # @ of a password escaped";
const portDefault = 5432;
const portMax = 65_535;

/** Parses an address. @throws DatabaseAddressError */
export function parseDatabaseAddress(text: string): DatabaseAddress {
  const [isWhole, credentials, hosts = "", database = "", query = ""] = shape.exec(text) ?? [];
  if (isWhole === undefined) throw new DatabaseAddressError(form);
  const colon = credentials?.indexOf(":") ?? -1;
  const [user = "", password = ""] =
    colon === -1 ? [credentials] : [credentials?.slice(0, colon), credentials?.slice(colon + 1)];
  const [first, ...others] = hosts.split(",").map(parseNode);
  if (first === undefined) throw new DatabaseAddressError("names no host");
  return {
    nodes: [first, ...others],
    user: decode(user, "user"),
    password: decode(password, "password"),
    database: decode(database, "database"),
    parameters: parseParameters(query),
  };
}

function parseNode(text: string): DatabaseNode {
  const [, address, name, port] = nodeShape.exec(text) ?? [];
  const host = address ?? name;
  if (host === undefined) throw new DatabaseAddressError(`has a host that cannot be read; ${form}`);
  const number = port === undefined ? portDefault : Number(port);
  if (number < 1 || number > portMax) throw new DatabaseAddressError(`has a port out of range: ${port}`);
  return { host, port: number };
}

function decode(text: string, what: string): string | null {
  if (text === "") return null;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new DatabaseAddressError(`has a % in its ${what} that is no escape: write %25`);
  }
}

function parseParameters(query: string): DatabaseAddress["parameters"] {
  const given: Partial<Record<Parameter, string>> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (!isParameter(name))
      throw new DatabaseAddressError(`has an unknown parameter ${name}: use ${Object.keys(parameters).join(", ")}`);
    const accepted: readonly string[] | null = parameters[name];
    if (accepted !== null && !accepted.includes(value))
      throw new DatabaseAddressError(`has ${name}=${value}: use ${accepted.join(", ")}`);
    given[name] = value;
  }
  return given;
}

const isParameter = (name: string): name is Parameter => name in parameters;

/** The TLS options of an address as in libpq; false without TLS. Reads the certificates' files. @throws Error of the file system */
export function readTls({
  parameters: { sslmode, sslrootcert, sslcert, sslkey },
}: DatabaseAddress): ConnectionOptions | false {
  if (sslmode === undefined || sslmode === "disable") return false;
  const ca = sslrootcert === undefined || sslrootcert === "system" ? null : readFileSync(sslrootcert, "utf8");
  return {
    ...(ca !== null && { ca }),
    ...(sslcert !== undefined && { cert: readFileSync(sslcert, "utf8") }),
    ...(sslkey !== undefined && { key: readFileSync(sslkey, "utf8") }),
    rejectUnauthorized: sslmode !== "require" || ca !== null,
    // libpq compares the host's name with the certificate only for verify-full.
    ...(sslmode !== "verify-full" && { checkServerIdentity: () => undefined }),
  };
}

const formatNode = ({ host, port }: DatabaseNode): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The nodes of an address for an operator, without user and password. */
export const formatNodes = ({ nodes }: Pick<DatabaseAddress, "nodes">): string => nodes.map(formatNode).join(" or ");
