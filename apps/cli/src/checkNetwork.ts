/** Which addresses of the settings take a connection from this machine. Nothing is sent over it. */
import { isLoopback } from "@cardkeep/contract/core/loopback";
import { parseDatabaseAddress } from "@cardkeep/db/databaseAddress";
import { type Finding, finding } from "@cardkeep/domain/operations/health/finding";
import type { Settings } from "@cardkeep/runtime/settings";
import { connect } from "node:net";

/** One address that the program connects to. */
interface Place {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** Where no other check looks at it: the setting to see. */
  readonly setting?: string;
}

const answerMsMax = 3_000;

/** Looks at every address at once, for 3 s at most. */
export async function checkNetwork(settings: Settings): Promise<Finding> {
  const places = listPlaces(settings);
  const seen = await Promise.all(places.map(async (place) => ({ place, cause: await findObstacle(place) })));
  const away = seen.filter(({ cause }) => cause !== null);
  if (away.length === 0) return finding("network", "ok", `${places.length} addresses take connections`);
  const isAll = away.length === places.length;
  const isHere = settings.origins.database === "guessed" || places.every(({ host }) => isLoopback(host));
  // Where nothing runs, no single setting is wrong.
  const isIdle = isAll && isHere;
  const listed = away.map(({ place, cause }) => {
    const see = isIdle || place.setting === undefined ? "" : `: see ${place.setting}`;
    return `${place.name} ${place.host}:${place.port} (${cause})${see}`;
  });
  const advice = isIdle
    ? ". Nothing runs here: run `bun start`, or set DATABASE_URL"
    : isAll
      ? ". No address answers: look at this machine's network and name server first"
      : "";
  // Any other address has a check of its own, which says whether that is a fault.
  const severity = away.some(({ place }) => place.setting !== undefined) ? "fault" : "warning";
  return finding("network", severity, `Not reached from this machine: ${listed.join(", ")}${advice}`);
}

function listPlaces(settings: Settings): Place[] {
  const { databaseUrl, rpcUrl, kyc, issuer, emoney, openid, mailServer, sms, policy } = settings;
  const { webhookUrl } = policy.operators.alerts;
  return [
    ...(databaseUrl === undefined ? [] : parseDatabaseAddress(databaseUrl).nodes).map((node) => ({
      name: "database",
      ...node,
    })),
    ...(rpcUrl?.split(",") ?? []).map((url) => locate("node", url)),
    locate("identity provider", kyc.url),
    locate("card issuer", issuer.url),
    locate("e-money institution", emoney.url),
    ...(openid === null ? [] : [locate("OpenID provider", openid.issuer)]),
    ...(mailServer === null
      ? []
      : [{ name: "mail server", host: mailServer.host, port: mailServer.port, setting: "MAIL_URL" }]),
    { ...locate("text messages", sms.url), setting: "SMS_URL" },
    ...(webhookUrl === null ? [] : [{ ...locate("alerts", webhookUrl), setting: "ALERT_WEBHOOK_URL" }]),
  ];
}

const ports: Readonly<Record<string, number>> = { "http:": 80, "ws:": 80, "https:": 443, "wss:": 443 };

/** The host and the port alone: an address may hold a password or a key. */
function locate(name: string, url: string): Place {
  const { hostname, port, protocol } = new URL(url.trim());
  return {
    name,
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? (ports[protocol] ?? 0) : Number(port),
  };
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refuses connections",
  ENOTFOUND: "no such name",
  EAI_AGAIN: "the name server does not answer",
  ENETUNREACH: "no way there",
  EHOSTUNREACH: "no way there",
};

/** Why no connection is made; null where one is. */
const findObstacle = ({ host, port }: Place): Promise<string | null> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: answerMsMax });
    const end = (cause: string | null) => {
      socket.destroy();
      resolve(cause);
    };
    socket.once("connect", () => end(null));
    socket.once("timeout", () => end(`no answer within ${answerMsMax / 1000} s`));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      end(causes[error.code ?? ""] ?? error.code ?? error.message),
    );
  });
