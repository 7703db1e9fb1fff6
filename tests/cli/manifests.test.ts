import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { runCommandLine } from "@cardkeep/cli/run";
import { buildAlertGroups } from "@cardkeep/runtime/buildAlerts";
import { development } from "@cardkeep/runtime/development";
import { createMetrics } from "@cardkeep/runtime/metrics";
import { environment } from "@cardkeep/runtime/environment";
import { readSettings } from "@cardkeep/runtime/settings";
import { isRequired } from "@cardkeep/runtime/requiredSettings";
import { listSettingsOf, type ProcessRole, type SettingName, uses } from "@cardkeep/runtime/settingUses";
import { stopLimits } from "@cardkeep/runtime/stopLimits";
import { workGauges } from "@cardkeep/runtime/workGauges";
import { buildKeyAddresses } from "@cardkeep/runtime/keyAddresses";
import { createWorkerKeys } from "@cardkeep/runtime/workerKeys";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPairSync } from "node:crypto";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { Namespace } from "kubernetes-models/v1/Namespace";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { listComposeFaults } from "../support/composeFaults.ts";
import { filled } from "../support/filled.ts";
import { production } from "../support/production.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads any object
type Any = any;

const models: Readonly<Record<string, new (object: Any) => { validate(): void }>> = {
  "apps/v1 Deployment": Deployment,
  "autoscaling/v2 HorizontalPodAutoscaler": HorizontalPodAutoscaler,
  "batch/v1 Job": Job,
  "networking.k8s.io/v1 NetworkPolicy": NetworkPolicy,
  "policy/v1 PodDisruptionBudget": PodDisruptionBudget,
  "v1 ConfigMap": ConfigMap,
  "v1 Namespace": Namespace,
  "v1 Secret": Secret,
  "v1 Service": Service,
};

let folder: string;
let objects: Any[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cardkeep-manifests-"));
  expect((await write()).code).toBe(0);
  objects = await readObjects(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The command needs no service. */
const run = (...words: string[]) =>
  runCommandLine(["manifests", ...words], () => Promise.reject(new Error("a service was opened")));
const write = (...words: string[]) => run("--out", folder, ...words);
const read = (path: string): Promise<string> => Bun.file(join(folder, path)).text();

async function readObjects(from: string): Promise<Any[]> {
  const names = [...new Bun.Glob("*.yaml").scanSync(from)].toSorted();
  const texts = await Promise.all(names.map((name) => Bun.file(join(from, name)).text()));
  return texts.flatMap((text) => Bun.YAML.parse(text)).flat() as Any[];
}

const find = (kind: string, name: string): Any =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const isFile = (name: string): boolean => name.endsWith("_FILE");
/** The settings that a process gets, from its environment and from its files. */
const environmentOf = (role: ProcessRole): Record<string, string> => {
  const { data } = find("ConfigMap", `cardkeep-${role}`);
  const open = Object.entries<string>(data).filter(([name]) => !isFile(name));
  return { ...Object.fromEntries(open), ...find("Secret", `cardkeep-${role}`).stringData };
};
const podOf = (role: ProcessRole): Any =>
  (find("Deployment", `cardkeep-${role}`) ?? objects.find(({ kind }) => kind === "Job")).spec.template;

const known = buildKeyAddresses(readSettings(production));
const { d: _, ...webhookKey } = JSON.parse(production.WEBHOOK_SIGNING_KEYS).keys[0];
const values: Record<string, string> = {
  ...production,
  WEBHOOK_PUBLIC_KEYS: JSON.stringify({ keys: [webhookKey] }),
  RELAYER_ADDRESSES: known.relayerAddresses.join(","),
  OPERATOR_ADDRESS: known.operatorAddress,
  SPENDER_ADDRESS: known.spenderAddress,
  CARD_ENCRYPTION_KEY: generateKeyPairSync("rsa", { modulusLength: 2048 })
    .privateKey.export({ format: "der", type: "pkcs8" })
    .toString("base64"),
};
/** An environment with every empty value filled in. */
const fillIn = (given: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === "" ? (values[name] ?? "") : value]));

describe("cardkeep manifests", () => {
  test("writes objects that are valid by the published schemas of Kubernetes", () => {
    const kinds = objects.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    expect(new Set(kinds)).toEqual(new Set(Object.keys(models)));
    const validate = (object: Any) => {
      const Model = models[`${object.apiVersion} ${object.kind}`];
      if (Model) new Model(object).validate();
    };
    for (const object of objects) validate(object);
    const server = structuredClone(find("Deployment", "cardkeep-server"));
    server.spec.template.spec.containers[0].ports[0].containerPort = "http";
    expect(() => validate(server)).toThrow("containerPort");
  });

  test("prints the same objects without a folder", async () => {
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(Bun.YAML.parse(out)).toEqual(objects);
  });

  test("gives each process the settings that it reads, and no other; secrets are in Secrets alone", () => {
    for (const role of ["server", "worker", "migrate"] as const) {
      const given = environmentOf(role);
      const expected = listSettingsOf(role).filter((name) => isRequired(name, role));
      expect(Object.keys(given)).toEqual(expect.arrayContaining(expected));
      expect(Object.keys(given).filter((name) => !uses[name as SettingName].roles.includes(role))).toEqual([]);
      const open = Object.keys(find("ConfigMap", `cardkeep-${role}`)?.data ?? {});
      expect(open.filter((name) => !isFile(name) && uses[name as SettingName].isSecret)).toEqual([]);
    }
    expect(Object.keys(environmentOf("migrate"))).toEqual(["DATABASE_URL", "DATABASE_SESSION_URL"]);
    const server = Object.keys(environmentOf("server"));
    expect(server.filter((name) => /PRIVATE_KEY|ENCRYPTION|SIGNING/.test(name))).toEqual([]);
    const worker = Object.keys(environmentOf("worker"));
    expect(worker.filter((name) => /ACCESS_TOKEN|PEPPER|COUPON|(KYC|ISSUER)_CALLBACK/.test(name))).toEqual([]);
    // What has a development value is a secret, except for addresses, ids and a public key.
    const open = Object.keys(development).filter((name) => !uses[name as SettingName].isSecret);
    expect(open).toEqual(["TREASURY_ADDRESS", "SETTLEMENT_ADDRESS", "EMONEY_CLIENT_ID", "CARD_ISSUER_PIN_KEY"]);
  });

  test("every process starts once the empty values are filled in, and names each one that is not", () => {
    for (const role of ["server", "worker"] as const) {
      const complete = fillIn(environmentOf(role));
      const settings = readSettings(complete, role);
      expect([settings.unusedSecrets, buildKeyAddresses(settings)]).toEqual([[], known]);
      if (role === "worker") expect(createWorkerKeys(settings, () => {}).relayers).toHaveLength(1);
      const empty = Object.entries(environmentOf(role)).flatMap(([name, value]) => (value === "" ? [name] : []));
      for (const name of filled(empty.filter((each) => isRequired(each as SettingName, role))))
        expect(() => readSettings({ ...complete, [name]: "" }, role)).toThrow(new RegExp(`^${name}:`, "m"));
    }
  });

  test("a key may be at a signer: its own line stays empty or goes", () => {
    const {
      RELAYER_PRIVATE_KEYS: _relayer,
      SPENDER_PRIVATE_KEY: _spender,
      ...complete
    } = fillIn(environmentOf("worker"));
    const signers = {
      RELAYER_SIGNERS: `web3signer+https://${known.relayerAddresses[0]}@signer`,
      SPENDER_SIGNER: `aws-kms://${known.spenderAddress}@eu-central-1/alias/spender`,
    };
    for (const rest of [{}, { RELAYER_PRIVATE_KEYS: "", SPENDER_PRIVATE_KEY: "" }])
      expect(buildKeyAddresses(readSettings({ ...complete, ...signers, ...rest }, "worker"))).toEqual(known);
  });

  test("gives a process its secrets as files of its own, which no other user reads, and none in its environment", async () => {
    for (const role of ["server", "worker", "migrate"] as const) {
      const { spec } = podOf(role);
      const [container] = spec.containers;
      expect(container.envFrom).toEqual([{ configMapRef: { name: `cardkeep-${role}` } }]);
      expect(container.env.map(({ name }: Any) => name)).toEqual(["BUN_JSC_forceRAMSize"]);
      const mount = container.volumeMounts.find(({ name }: Any) => name === "secrets");
      const volume = spec.volumes.find(({ name }: Any) => name === "secrets");
      expect(volume.secret).toEqual({ secretName: `cardkeep-${role}`, defaultMode: 0o440 });
      expect([mount.readOnly, spec.securityContext.fsGroup]).toEqual([true, spec.securityContext.runAsGroup]);
      const names = Object.keys(find("Secret", `cardkeep-${role}`).stringData);
      const files = Object.entries<string>(find("ConfigMap", `cardkeep-${role}`).data).filter(([name]) => isFile(name));
      expect(files).toEqual(names.map((name) => [`${name}_FILE`, `${mount.mountPath}/${name}`]));
    }
    expect((await stat(join(folder, "20-secrets.yaml"))).mode & 0o077).toBe(0);
  });

  test("describes every setting in a comment, and shows the default of those that may stay", async () => {
    const text = `${await read("10-settings.yaml")}${await read("20-secrets.yaml")}`.replaceAll(/\n\s*# /g, " ");
    for (const [name, { roles }] of Object.entries(uses)) {
      if (roles.length === 0) expect(text).not.toContain(`${name}:`);
      else
        expect([name, text.includes(environment.shape[name as SettingName].description ?? "-")]).toEqual([name, true]);
    }
    expect(text).toContain('LOG_LEVEL: "info"');
  });

  test("runs the image without privileges, and probes the ports that the processes listen on", async () => {
    const dockerfile = await Bun.file(new URL("../../Dockerfile", import.meta.url)).text();
    for (const role of ["server", "worker", "migrate"] as const) {
      const { spec } = podOf(role);
      const [container] = spec.containers;
      expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      const main = new URL(`../../${container.command[1].replace(/js$/, "ts")}`, import.meta.url);
      expect(existsSync(main)).toBe(true);
      if (role === "migrate") continue;
      const port = Number(environmentOf(role)[role === "server" ? "PORT" : "WORKER_PORT"]);
      for (const [probe, path] of Object.entries({
        livenessProbe: "/livez",
        readinessProbe: "/readyz",
        startupProbe: "/livez",
      }))
        expect(container[probe].httpGet).toEqual({ path, port });
    }
    expect(dockerfile).toContain(`EXPOSE ${environmentOf("server")["PORT"]}\n`);
  });

  test("gives each process the time of its drain and its stop before it is killed", async () => {
    const needed = (drainSeconds: number) => drainSeconds + stopLimits.stopMs / 1000;
    const drain = Number(environmentOf("server")["DRAIN_SECONDS"]);
    expect(podOf("server").spec.terminationGracePeriodSeconds).toBeGreaterThan(needed(drain));
    expect(podOf("worker").spec.terminationGracePeriodSeconds).toBeGreaterThan(needed(0));
    const longer = Bun.YAML.parse((await run("--drain-seconds", "30")).out) as Any[];
    const server = longer.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "cardkeep-server");
    expect(server.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(needed(30));
  });

  test("selects the pods of each Deployment in its service, budget, policy and autoscaler", () => {
    for (const role of ["server", "worker"] as const) {
      const name = `cardkeep-${role}`;
      const { labels } = podOf(role).metadata;
      const selected = find("Deployment", name).spec.selector.matchLabels;
      expect(labels).toMatchObject(selected);
      expect(find("PodDisruptionBudget", name).spec.selector.matchLabels).toEqual(selected);
      expect(find("NetworkPolicy", name).spec.podSelector.matchLabels).toEqual(selected);
      expect(find("HorizontalPodAutoscaler", name).spec.scaleTargetRef.name).toBe(name);
    }
    expect(find("Service", "cardkeep-server").spec.selector).toEqual(
      find("Deployment", "cardkeep-server").spec.selector.matchLabels,
    );
  });

  test("lets the worker reach a remote signer and the credentials of its service account, and the server neither", async () => {
    const reach = (rules: Any[], port: number, cidr?: string): boolean =>
      rules.some(
        ({ to, ports }: Any) =>
          ports?.some((each: Any) => each.port === port) &&
          (cidr === undefined || to?.some((each: Any) => each.ipBlock?.cidr === cidr)),
      );
    const egress = (name: string) => find("NetworkPolicy", name).spec.egress;
    expect(reach(egress("cardkeep-worker"), 9000)).toBe(true);
    expect(reach(egress("cardkeep-server"), 9000)).toBe(false);
    for (const name of ["cardkeep-server", "cardkeep-worker", "cardkeep-migrate"])
      expect(reach(egress(name), 53, "169.254.20.10/32")).toBe(true);
    const { out } = await run("--service-account", "cardkeep-kms");
    const named = [Bun.YAML.parse(out)].flat() as Any[];
    const specOf = (kind: string, name: string) =>
      named.find((object) => object.kind === kind && object.metadata.name === name).spec;
    expect(specOf("Deployment", "cardkeep-worker").template.spec.serviceAccountName).toBe("cardkeep-kms");
    expect(specOf("Deployment", "cardkeep-server").template.spec.serviceAccountName).toBeUndefined();
    expect(reach(specOf("NetworkPolicy", "cardkeep-worker").egress, 80, "169.254.170.23/32")).toBe(true);
    expect(reach(egress("cardkeep-worker"), 80, "169.254.170.23/32")).toBe(false);
  });

  test("names the migration by its image, because a job of another image cannot take its place", async () => {
    const nameOf = async (image: string) => {
      const objects = [Bun.YAML.parse((await run("--image", image)).out)].flat() as Any[];
      return objects.find(({ kind }) => kind === "Job").metadata.name;
    };
    expect(await nameOf("cardkeep:1.0.0-fixed")).not.toBe(await nameOf("cardkeep:1.0.0"));
    expect(await nameOf("cardkeep:1.0.0")).toBe(await nameOf("cardkeep:1.0.0"));
  });

  test("scales by metrics that the adapter's rules make of series that /metrics serves", async () => {
    const { rules } = Bun.YAML.parse(await read("prometheus/adapter-values.yaml")) as Any;
    const asked = objects
      .filter(({ kind }) => kind === "HorizontalPodAutoscaler")
      .flatMap(({ spec }) => spec.metrics)
      .flatMap(({ pods, external }) => [pods?.metric.name, external?.metric.name].filter((name) => name !== undefined));
    expect(asked).toEqual([
      "cardkeep_decision_seconds_p99",
      "cardkeep_job_oldest_waiting_seconds",
      "cardkeep_delivery_lag_seconds",
    ]);
    const made = [...rules.custom, ...rules.external];
    expect(made.map(({ name }) => name.as)).toEqual(asked);
    const ofProcess = await createMetrics().render();
    const ofService = workGauges.map(({ name }) => `cardkeep_${name}`);
    for (const { seriesQuery } of filled(made)) {
      const series = /^\w+/.exec(seriesQuery)?.[0] ?? "";
      const isHistogram = ofProcess.includes(`# TYPE ${series.replace(/_bucket$/, "")} histogram\n`);
      expect([series, isHistogram || ofService.includes(series)]).toEqual([series, true]);
    }
  });

  test("raises the same alarms in Kubernetes and beside Compose", async () => {
    const object = Bun.YAML.parse(await read("prometheus/alert-rules.yaml")) as Any;
    expect(object).toMatchObject({ kind: "PrometheusRule", spec: JSON.parse(JSON.stringify(buildAlertGroups())) });
    expect(Bun.YAML.parse(await read("compose/alert-rules.yaml"))).toEqual(object.spec);
  });

  test("keeps what the operator filled in, and writes its new text beside it", async () => {
    const filled = (await read("20-secrets.yaml")).replace('DATABASE_URL: ""', 'DATABASE_URL: "postgres://db/one"');
    await Bun.write(join(folder, "20-secrets.yaml"), filled);
    await Bun.write(join(folder, "40-server.yaml"), "old");
    const { out } = await write("--image", "registry.example.org/cardkeep:2");
    expect(out).toContain("20-secrets.yaml.new  beside 20-secrets.yaml, which stays");
    expect(await read("20-secrets.yaml")).toBe(filled);
    expect(await read("20-secrets.yaml.new")).toContain('DATABASE_URL: ""');
    expect(await read("40-server.yaml")).toContain("image: registry.example.org/cardkeep:2\n");
    expect((await write("--drain-seconds", "soon")).code).toBe(2);
    expect((await write("--drain-seconds", "1000")).code).toBe(2);
    for (const path of ["60-network.yaml", "compose/haproxy.cfg"]) {
      const edited = `# edited\n${await read(path)}`;
      await Bun.write(join(folder, path), edited);
      expect((await write()).out).toContain(`${path}.new  beside ${path}, which stays`);
      expect(await read(path)).toBe(edited);
    }
  });
});

describe("the compose file of a machine", () => {
  test("runs every process without privileges, with the settings of its file and time to stop", async () => {
    const compose = Bun.YAML.parse(await read("compose/compose.yaml")) as Any;
    expect(listComposeFaults(compose)).toEqual([]);
    const { services } = compose;
    for (const role of ["server", "worker", "migrate"] as const) {
      const service = services[role];
      expect(service).toMatchObject({ read_only: true, cap_drop: ["ALL"], security_opt: ["no-new-privileges:true"] });
      const lines = (await read(`compose/${service.env_file}`)).split("\n").filter((line) => /^[A-Z]/.test(line));
      const given = Object.fromEntries(lines.map((line) => line.split("=", 2)));
      expect(given).toEqual(find("ConfigMap", `cardkeep-${role}`).data);
      const [source, target, access] = service.volumes[0].split(":");
      const secrets = Object.keys(find("Secret", `cardkeep-${role}`).stringData);
      expect([...new Bun.Glob("*").scanSync(join(folder, "compose", source))].toSorted()).toEqual(secrets.toSorted());
      expect([given[`${secrets[0]}_FILE`], access]).toEqual([`${target}/${secrets[0]}`, "ro"]);
      if (role === "migrate") continue;
      const seconds = Number(service.stop_grace_period.replace("s", ""));
      expect(seconds).toBe(podOf(role).spec.terminationGracePeriodSeconds);
    }
    const balancer = await read("compose/haproxy.cfg");
    expect(balancer).toContain("option httpchk GET /readyz");
    expect(balancer.match(/^ {2}server \S+ \S+:3000$/gm)).toHaveLength(3);
  });
});
