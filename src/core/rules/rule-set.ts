/** Rules as they are written, read. Pure. */
import type { RuleSet } from "./judge-command.ts";
import { parseRule, type Rule } from "./rule.ts";

export interface WrittenRules {
	readonly source: string;
	readonly allow: readonly string[];
	readonly ask: readonly string[];
	readonly deny: readonly string[];
}

/** What is wrong with the first rule that is none, in words; undefined: all are. */
export function faultIn({ allow, ask, deny }: Omit<WrittenRules, "source">): string | undefined {
	for (const text of [...allow, ...ask, ...deny]) {
		const parsed = parseRule(text);
		if (parsed.is === "bad") return parsed.reason;
	}
	return undefined;
}

/** Of rules that were checked where they came from. */
export function ruleSet({ source, allow, ask, deny }: WrittenRules): RuleSet {
	return { source, allow: allow.flatMap(read), ask: ask.flatMap(read), deny: deny.flatMap(read) };
}

function read(text: string): Rule[] {
	const parsed = parseRule(text);
	return parsed.is === "rule" ? [parsed.rule] : [];
}
