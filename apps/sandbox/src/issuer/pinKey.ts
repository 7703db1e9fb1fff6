/**
 * The private key with which the sandbox's issuer reads PINs. It is public knowledge; its public half is a
 * development setting.
 */
import { constants, createDecipheriv, createPrivateKey, privateDecrypt } from "node:crypto";

const der =
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC9ap8IjlloCnPEk2CzmbCyKc+KVtW0kgxBDkZmtNHtO8uuquSUP1yUo/eED1X/F9UXX6BkYDPlQXJ8IYF9AF85fd5IoxJwSwBxjeyZzNiVET6fn4wvHkt7BM0BFbTtOu1YWSdhifgNheIesFPbESNiOUefu5rj+VQMpKEIhO1V2gPCPyzjpx1SoBTcwLqZpjM+i/f70t+1291N/PL6wnAheL6L2aljQr8SwFs3DUJkaEkW2fcisAtZDtNGLPORrTHtasNVzfyQ2A53kCOatXg4vW31HCYcl6I3b0R4hqqAKXuw1kw2C+54d+YuqxLmtfKaTM9AExPSqVZM8wFCEEexAgMBAAECggEAAvTqHJkUPjKDkhr21HbesjlC2xb16QaqmE1fvfSunjRjvos+XC4NBOj2USJoJj45/k5o04hI5xg5cESZn9jko6IaWSnqfMQ+8obTnab77n/BaX51Ers3VGlDxfOPynA0CkACBFzB+XwQhogcFvxSgBMC0jR8e3iF3linhtmEVuW0bw3imUQ1RnczoJsXp9fNqNGZFcJz606UIrU9coJd3skBvDL/myWt6LyEmGaRZ9jALlUpz1iXyv83QK/CQ80es1QNZDGwBIKmZsBM86jmZnlm000zbucA9VugAKdlZmU/6I/e0fVjQohvgi/eA2yjrsxL91zhCzVSSQbk3i2swQKBgQDgix8eDzTfuyb+//XPJ+f+98Xb/WzIv3+gC8uJ41SHPgFQejISvNavT4tgXJtAAoKRq3MZNbvWXlxcPZbTgNsA89xdcN3W5Fsqnah/IPim/LDDnSHY/8RDnFo3DRUqpki9k058tnDcjINGJr8KmzapS17llu1f0aY9G9DlelhB6QKBgQDX87rLuff8XAu0kMnacaDMxRU17f+R5Hfn2n9yqd5surUcMAA5RcGhjQwbZ8rlAAM9B3fZCyH3hZSfmPl8A/ZZ5xmaolpysxPPOxMCU7zNYyMcx5SEpBk4+oeS+vve/wBylrRCJzerF1L09U9US9WYBp0kjai6vRq/hGt02VmyiQKBgQCFuZTgnAHLNHQ27U0BAC0kJX+KUlUVAScKs7uV9PMEUCMMQJnNmvToFyFUVBKJfnUwN8EmRGAHfM7YiD1o3JaQ7KpSY8NaFUlOCfKtM3+iQ18qQExGJZxG/7iijIIMkldDv5TApQ516qDLiIvBz0owbJipdscLh5nPTt+Lqt8g8QKBgBVL3O0AXvtNHH5nFPDs6b2n5eqWmPCLRmPgAVeOdvfkBb5M4YjEX08OONZvCuxAbxFSrjgCSAw/6SNAE8JuJZpCFx1Py3mqPVbfbYV6OpFKqIjLCdN212HuGvact8ALB8FFKWuosG239B9iHbujauH+LPsQ2UXpJj0i0vIICTd5AoGAL47nqe8qo1QprL39l1QZLsb0cZR6IrV6aDuZP2GGXZ1lSFOJ38BNlvJuuFB/PZIdENQTzbodSh3pr/sELQmK2VgwnzYDd8Z1AkJ5fJbTBDx7vEW9iP2bDc7FXasNmvX2Q41Iw5Uer/ShYWAR/9nFI5YXsdHCqmcgavVWuNhj2pw=";
const privateKey = createPrivateKey({ key: Buffer.from(der, "base64"), format: "der", type: "pkcs8" });
const pinPattern = /^\d{4}$/;

/** The PIN in a compact JWE (RFC 7516); null for an unreadable one or for another text. */
export function readPin(jwe: string): string | null {
  const [header = "", ...parts] = jwe.split(".");
  const [key, iv, ciphertext, tag] = parts.map((part) => Buffer.from(part, "base64url"));
  try {
    if (!key || !iv || !ciphertext || !tag) return null;
    const { alg, enc } = JSON.parse(Buffer.from(header, "base64url").toString());
    if (alg !== "RSA-OAEP-256" || enc !== "A256GCM") return null;
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const opened = privateDecrypt({ key: privateKey, padding, oaepHash: "sha256" }, key);
    const decipher = createDecipheriv("aes-256-gcm", opened, iv).setAAD(Buffer.from(header)).setAuthTag(tag);
    const pin = Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString();
    return pinPattern.test(pin) ? pin : null;
  } catch {
    return null;
  }
}
