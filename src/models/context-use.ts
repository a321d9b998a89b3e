/** How full an agent's context is. */
import type { Agent } from "../core/model/agent.ts";
import { formatTokens } from "../text/numbers.ts";
import { factsOf } from "./catalogue.ts";

type Context = Pick<Agent, "model" | "windowTokens" | "contextTokens">;

/** The used share of the context: 0 to 1, above 1 when it is exceeded; undefined when its tokens or the window are not known. */
export function contextShare(agent: Context): number | undefined {
	const { contextTokens } = agent;
	const window = windowOf(agent);
	return window === undefined || contextTokens === undefined ? undefined : contextTokens / window;
}

/** The use of the context in words: `621.0k of 1.0M tokens (62 %), compacted 2×`; undefined when nothing is known. */
export function describeContext(agent: Context & Pick<Agent, "compactions">): string | undefined {
	const { contextTokens, compactions } = agent;
	const window = windowOf(agent);
	const share = contextShare(agent);
	const tokens =
		window === undefined || contextTokens === undefined || share === undefined
			? []
			: [`${formatTokens(contextTokens)} of ${formatTokens(window)} tokens (${formatShare(share)})`];
	const facts = [...tokens, ...(compactions === undefined ? [] : [`compacted ${compactions}×`])];
	return facts.length === 0 ? undefined : facts.join(", ");
}

/** The agent's context window in tokens; undefined when it is not known. A run of an earlier version has not recorded it. */
export function windowOf({ model, windowTokens }: Context): number | undefined {
	return windowTokens ?? factsOf(model).contextTokens;
}

/** A share in percent: `62 %`. Rounded down, so that 100 % is full. */
export function formatShare(share: number): string {
	return `${Math.floor(share * 100)} %`;
}
