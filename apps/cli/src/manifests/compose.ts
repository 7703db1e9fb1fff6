/** The processes of one machine for Docker Compose, and a balancer in front of several such machines. */
import type { ProcessRole } from "@cardkeep/runtime/settingUses";
import { commands, graceSecondsOf, type Installation, memory, ports, secretsFolder } from "./installation.ts";

const bytesMax = Number.parseInt(memory.max, 10) * 2 ** 20;
const checkSeconds = 2;
const machines = ["machine-1", "machine-2", "machine-3"];

const buildProcess = (role: ProcessRole, { image }: Installation) => ({
  image,
  command: ["bun", commands[role]],
  env_file: `${role}.env`,
  volumes: [`./secrets/${role}:${secretsFolder}:ro`],
  environment: { BUN_JSC_forceRAMSize: String(bytesMax) },
  read_only: true,
  tmpfs: ["/tmp"],
  cap_drop: ["ALL"],
  security_opt: ["no-new-privileges:true"],
  mem_limit: bytesMax,
});

/** The compose file of one machine: a server, a worker, and on request the migration and the balancer. */
export const buildCompose = (installation: Installation) => ({
  services: {
    server: {
      ...buildProcess("server", installation),
      ports: [`${ports.server}:${ports.server}`],
      restart: "unless-stopped",
      stop_grace_period: `${graceSecondsOf("server", installation)}s`,
    },
    worker: {
      ...buildProcess("worker", installation),
      restart: "unless-stopped",
      stop_grace_period: `${graceSecondsOf("worker", installation)}s`,
    },
    migrate: { ...buildProcess("migrate", installation), profiles: ["migrate"], restart: "no" },
    balancer: {
      image: "haproxy:3.2",
      profiles: ["balancer"],
      ports: ["8080:8080"],
      volumes: ["./haproxy.cfg:/usr/local/etc/haproxy/haproxy.cfg:ro"],
      restart: "unless-stopped",
    },
  },
});

/** HAProxy before the servers. It sees a server that drains within two checks. */
export const renderBalancer =
  (): string => `# Replace the names of the machines. Add TLS here or in front of it, and this address to TRUSTED_PROXIES.
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 20s
  timeout http-keep-alive 30s
  option forwardfor
  option redispatch

frontend public
  bind :8080
  default_backend servers

backend servers
  balance leastconn
  option httpchk GET /readyz
  default-server check inter ${checkSeconds}s fall 2 rise 1
${machines.map((name) => `  server ${name} ${name}:${ports.server}\n`).join("")}`;
