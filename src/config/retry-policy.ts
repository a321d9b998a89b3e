/** For slow or flaky services, as variables: AGENTREE_MAX_SILENCE=90s, AGENTREE_RETRY_TIME=10m, AGENTREE_RETRY_WAIT=1s. */
import { AgentreeError } from "../core/errors.ts";
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from "../core/retry-policy.ts";
import { parseDuration } from "./duration.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws AgentreeError("usage"). An empty variable is one that is not set. A retry time of `0s`: nothing is tried again. */
export function readRetryPolicy(env: Environment): RetryPolicy {
	return {
		maxSilenceMs: readTime(env, "AGENTREE_MAX_SILENCE", 1) ?? DEFAULT_RETRY_POLICY.maxSilenceMs,
		retryTimeMs: readTime(env, "AGENTREE_RETRY_TIME", 0) ?? DEFAULT_RETRY_POLICY.retryTimeMs,
		retryWaitMs: readTime(env, "AGENTREE_RETRY_WAIT", 1) ?? DEFAULT_RETRY_POLICY.retryWaitMs,
	};
}

const MAX_MS = 86_400_000;

function readTime(env: Environment, name: string, leastMs: number): number | undefined {
	const text = env[name];
	if (text === undefined || text === "") return undefined;
	const ms = parseDuration(text);
	if (ms === undefined || ms < leastMs || ms > MAX_MS)
		throw new AgentreeError("usage", `${name} must be a time such as 90s or 10m, at most 24h, not "${text}"`);
	return ms;
}
