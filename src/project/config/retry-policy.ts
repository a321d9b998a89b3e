/** The retry policy, for slow or flaky services: AGENTREE_MAX_SILENCE=90s, AGENTREE_RETRY_TIME=10m, AGENTREE_RETRY_WAIT=1s. */
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "../../core/limits/retry-policy.ts";
import { readVariables, type VariableRow } from "./variables.ts";

export const RETRY_VARIABLES: readonly VariableRow<keyof RetryPolicy>[] = [
	{ key: "maxSilenceMs", variable: "AGENTREE_MAX_SILENCE", kind: "time", least: 1 },
	{ key: "retryTimeMs", variable: "AGENTREE_RETRY_TIME", kind: "time" }, // 0s: nothing is retried
	{ key: "retryWaitMs", variable: "AGENTREE_RETRY_WAIT", kind: "time", least: 1 },
];

/** The policy that the environment sets, with defaults for what it does not. Throws AgentreeError("usage"). */
export function readRetryPolicy(env: Readonly<Record<string, string | undefined>>): RetryPolicy {
	return readVariables(env, RETRY_VARIABLES, DEFAULT_RETRY_POLICY);
}
