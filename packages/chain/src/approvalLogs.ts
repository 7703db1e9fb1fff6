/** Logs of what an account lets others move of its tokens. All pure. */
import type { Address } from "@cardkeep/contract/core/primitives";
import { encodeEventTopics, erc20Abi, pad } from "viem";
import type { ChainLog, LogTopics } from "./log.ts";

const [approvalTopic = "0x"] = encodeEventTopics({ abi: erc20Abi, eventName: "Approval" });

/** Topics of a token's logs about the approvals of an account. */
export const buildApprovalTopics = (owner: Address): LogTopics => [approvalTopic, pad(owner)];

/** Whether such a log approves any amount. Tokens log an approval of nothing where a stranger moves nothing. */
export const isApproval = ({ data }: Pick<ChainLog, "data">): boolean => !/^0x0+$/.test(data);
