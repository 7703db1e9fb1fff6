/** Which connections each process may have. */
import type { ProcessRole } from "@cardkeep/runtime/settingUses";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import type { INetworkPolicyEgressRule } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicyEgressRule";
import {
  databasePorts,
  type Installation,
  labelsOf,
  nameOf,
  partnerPorts,
  ports,
  signerPorts,
} from "./installation.ts";

const tcp = (list: readonly number[]) => list.map((port) => ({ protocol: "TCP" as const, port }));

const nameService: INetworkPolicyEgressRule = {
  // The second one is the address of a NodeLocal DNSCache, which is no pod with a namespace.
  to: [{ namespaceSelector: {} }, { ipBlock: { cidr: "169.254.20.10/32" } }],
  ports: [
    { protocol: "UDP", port: 53 },
    { protocol: "TCP", port: 53 },
  ],
};
const database: INetworkPolicyEgressRule = { ports: tcp(databasePorts) };
const partners: INetworkPolicyEgressRule = { ports: tcp(partnerPorts) };
const signers: INetworkPolicyEgressRule = { ports: tcp(signerPorts) };
/** Where a pod on EKS gets the credentials of its service account. Other clouds give them over HTTPS. */
const credentials: INetworkPolicyEgressRule = {
  to: [{ ipBlock: { cidr: "169.254.170.23/32" } }, { ipBlock: { cidr: "fd00:ec2::23/128" } }],
  ports: tcp([80]),
};
/** Receivers of events have any port, at public addresses only. The program refuses the others too. */
const endpoints: INetworkPolicyEgressRule = {
  to: [
    {
      ipBlock: {
        cidr: "0.0.0.0/0",
        except: ["10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"],
      },
    },
    { ipBlock: { cidr: "::/0", except: ["fc00::/7", "fe80::/10"] } },
  ],
};

const egress: Readonly<Record<ProcessRole, readonly INetworkPolicyEgressRule[]>> = {
  server: [nameService, database, partners],
  worker: [nameService, database, partners, signers, endpoints],
  migrate: [nameService, database],
};

/** The policy of a process. Pods of the namespace that have no policy are not touched. */
export const buildNetworkPolicy = (role: ProcessRole, { namespace, serviceAccount }: Installation): NetworkPolicy =>
  new NetworkPolicy({
    metadata: { name: nameOf(role), namespace, labels: labelsOf(role) },
    spec: {
      podSelector: { matchLabels: labelsOf(role) },
      policyTypes: ["Ingress", "Egress"],
      ingress: role === "migrate" ? [] : [{ ports: tcp([ports[role]]) }],
      egress: [...egress[role], ...(role === "worker" && serviceAccount !== null ? [credentials] : [])],
    },
  });
