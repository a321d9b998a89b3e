/**
 * The steps of a trajectory in the format ATIF 1.7 of the Harbor project (its RFC 0001), as far as they are written here. Other
 * keys are an error to its readers; what has no key there stands under `extra`. Pure.
 */
import { defined } from "../../../core/defined.ts";
import { addDollars } from "../../../core/limits/dollars.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../../../core/model/usage.ts";

export interface AtifStep {
	/** ISO 8601. */
	readonly timestamp: string;
	readonly source: "system" | "user" | "agent";
	readonly message: string;
	/** From here to `metrics`: steps of the agent alone. */
	readonly model_name?: string;
	readonly reasoning_content?: string;
	readonly tool_calls?: readonly AtifCall[];
	readonly metrics?: AtifMetrics;
	readonly observation?: { readonly results: readonly AtifResult[] };
	/** The step was copied from another trajectory, which has its metrics. */
	readonly is_copied_context?: true;
	/** The calls to the model that the step's metrics are the sum of. */
	readonly llm_call_count?: number;
	readonly extra?: object;
}

export interface AtifCall {
	readonly tool_call_id: string;
	readonly function_name: string;
	readonly arguments: object;
}

export interface AtifResult {
	/** One of the same step; absent for a result whose call is not in the record. */
	readonly source_call_id?: string;
	readonly content?: string;
	readonly subagent_trajectory_ref?: readonly { readonly trajectory_id: string; readonly session_id: string }[];
	readonly extra?: object;
}

export interface AtifMetrics {
	/** All that went in, also what the cache had. */
	readonly prompt_tokens?: number;
	readonly completion_tokens?: number;
	/** The part of `prompt_tokens` that the cache had. */
	readonly cached_tokens?: number;
	/** Absent when a price is not known. */
	readonly cost_usd?: number;
	readonly extra?: object;
}

export interface Charge {
	readonly usage: Usage;
	readonly costUsd: number | null;
}

export function sumOf(charges: readonly Charge[]): Charge {
	return charges.reduce((sum, { usage, costUsd }) => {
		return { usage: addUsage(sum.usage, usage), costUsd: addDollars(sum.costUsd, costUsd) };
	}, FREE);
}

const FREE: Charge = { usage: NO_USAGE, costUsd: 0 };

/** Where the service has counted nothing there are no tokens, rather than none. */
export function metricsOf({ usage, costUsd }: Charge): AtifMetrics {
	const { output, cacheRead, cacheWrite, uncounted } = usage;
	const isCounted = uncounted === undefined || totalTokens(usage) > 0;
	const tokens = {
		prompt_tokens: totalTokens(usage) - output,
		completion_tokens: output,
		cached_tokens: cacheRead,
	};
	const extra = { cache_creation_input_tokens: cacheWrite || undefined, uncounted_calls: uncounted };
	const known = defined(extra);
	return {
		...(isCounted ? tokens : {}),
		...(costUsd === null ? {} : { cost_usd: costUsd }),
		...(Object.keys(known).length === 0 ? {} : { extra: known }),
	};
}

export function isoTime(at: number): string {
	return new Date(at).toISOString();
}
