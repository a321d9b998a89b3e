/** How full an agent's context is. */
import type { Agent } from "../core/agent.ts";
import { formatTokens } from "../core/format.ts";
import { contextTokensOf, factsOf } from "./prices.ts";

/** 0 to 1, and over when it has burst; undefined when its tokens, or the model's window, are not known. */
export function contextShare({ model, contextTokens }: Pick<Agent, "model" | "contextTokens">): number | undefined {
	const window = windowOf(model);
	return window === undefined || contextTokens === undefined ? undefined : contextTokens / window;
}

/** `621.0k of 1.0M tokens (62 %), compacted 2×`; undefined when nothing is known. */
export function describeContext(agent: Pick<Agent, "model" | "contextTokens" | "compactions">): string | undefined {
	const { model, contextTokens, compactions } = agent;
	const window = windowOf(model);
	const share = contextShare(agent);
	const tokens =
		window === undefined || contextTokens === undefined || share === undefined
			? []
			: [`${formatTokens(contextTokens)} of ${formatTokens(window)} tokens (${formatShare(share)})`];
	const facts = [...tokens, ...(compactions === undefined ? [] : [`compacted ${compactions}×`])];
	return facts.length === 0 ? undefined : facts.join(", ");
}

/** Of a script it is what the table has for a model that it does not know; of another such model it may be anything. */
function windowOf(model: string): number | undefined {
	return factsOf(model)?.contextTokens ?? (model.startsWith("script:") ? contextTokensOf(model) : undefined);
}

/** `62 %`. Rounded down: 100 % is full. */
export function formatShare(share: number): string {
	return `${Math.floor(share * 100)} %`;
}
