/** What fills the context of the agent that a person talks with, in lines: pure. */
import type { ContextParts, ContextUse } from "../protocol/watcher-messages.ts";
import { formatTokens } from "../text/numbers.ts";
import { padWidth } from "../text/width.ts";

const PARTS: Readonly<Record<keyof ContextParts, string>> = {
	system: "system prompt",
	instructions: "instructions",
	tools: "tools",
	messages: "your messages",
	answers: "answers",
	thinking: "thinking",
	calls: "commands",
	results: "what they printed",
	summary: "summary of before",
};

const BAR_COLUMNS = 20;

/** The whole is the sum of its parts, whether the service has counted it or it is estimated. */
export function contextLines({ windowTokens, compactAtTokens, isEstimated, parts }: ContextUse): string[] {
	const kinds = Object.keys(PARTS) as (keyof ContextParts)[];
	const used = kinds.reduce((sum, kind) => sum + parts[kind], 0);
	const percent = Math.floor((100 * used) / Math.max(1, windowTokens));
	const share = used > 0 && percent === 0 ? "<1 %" : `${percent} %`;
	const about = isEstimated === true ? "about " : "";
	const how = isEstimated === true ? ", estimated, since the service has not counted them" : "";
	const width = Math.max(...kinds.map((kind) => PARTS[kind].length));
	const at = compactAtTokens === undefined ? "" : `; summarised at ${formatTokens(compactAtTokens)}`;
	return [
		`${about}${formatTokens(used)} of ${formatTokens(windowTokens)} tokens (${share})${how}${at}`,
		...kinds.flatMap((kind) => {
			const tokens = parts[kind];
			if (tokens === 0) return [];
			const bar = "#".repeat(Math.ceil((BAR_COLUMNS * tokens) / Math.max(1, used)));
			const count = padWidth(formatTokens(tokens), 7, true);
			return [`  ${padWidth(PARTS[kind], width)} ${count}  ${bar}`];
		}),
	];
}
