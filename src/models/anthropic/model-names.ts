/**
 * The names under which a model of Anthropic is asked for: its own, a word for the newest of its kind (`opus`), with a date,
 * and as other services write it, such as `us.anthropic.claude-opus-5-v1:0`, an ARN, `claude-opus-5@20260401`. A name may end
 * with `[1m]`.
 */
import { AgentreeError } from "../../core/errors.ts";
import { hintAboutName } from "../provider/hint-about-name.ts";
import { asksForLargeContext, LARGE_CONTEXT_TOKENS, withoutContext } from "./large-context.ts";
import { knownModel, MODEL_TABLE } from "./model-table.ts";

const ARN = /^arn:aws[\w-]*:bedrock:/;
const PLAIN = /^[^:]*claude/i; // what stands before a colon may be another provider's scheme

/** The words for the newest model of each kind. The table has the models of a kind with the newest first. */
export const ALIASES: ReadonlyMap<string, string> = new Map(
	MODEL_TABLE.toReversed().map(({ id }) => [id.split("-")[1] ?? id, id]),
);

export function isClaudeName(name: string): boolean {
	return ALIASES.has(withoutContext(name)) || ARN.test(name) || PLAIN.test(name);
}

/**
 * The name as a run keeps it: an alias in full, and `[1m]` only where the model is not known to have that context anyway.
 * `from`: as ModelHost.nameFrom. Throws AgentreeError("usage") for a model that cannot have it.
 */
export function resolveClaude(name: string, _startedIn: string | undefined, from?: string): string {
	const asked = withoutContext(name);
	const full = ALIASES.get(asked) ?? asked;
	if (!asksForLargeContext(name)) return full;
	const contextTokens = knownModel(full)?.contextTokens;
	if (contextTokens === undefined) return name;
	if (contextTokens >= LARGE_CONTEXT_TOKENS) return full;
	throw new AgentreeError(
		"usage",
		`the model ${full} has no context of one million tokens: name it without [1m]${hintAboutName(full, [], from)}`,
	);
}
