/** The rules that would let a command run: what "always" means, and what a refusal names. Pure. */
import { commandParts, type Part } from "./command-parts.ts";
import { changing, decideCommand, decideParts, type Policy } from "./decide-command.ts";
import { programOf } from "./programs.ts";
import { ANY, parseRule, ruleSet } from "./rule.ts";

const ALL = "Bash";
/** What these programs do is their second word, or behind `run` their third. */
const WITH_SUBCOMMANDS = new Set(
	"git npm pnpm yarn bun cargo go pip pip3 uv poetry docker podman kubectl gh make just mvn gradle dotnet gem bundle rake hg svn jj helm".split(
		" ",
	),
);
/** What these do depends on all of their words. */
const ANYTHING = new Set(
	"rm rmdir shred unlink mv cp dd chmod chown ln tee sed awk perl python python3 node ruby php bash sh zsh env sudo doas ssh scp rsync curl wget xargs find eval exec kill export declare typeset readonly local unset set source . trap".split(
		" ",
	),
);

const MAX_RULES = 4;

/** Undefined where one rule would not do, or would allow more than what was read. */
export function lastingRule(command: string, policy: Policy): string | undefined {
	const [rule, ...others] = allowingRules(command, policy);
	if (rule === ALL || others.length > 0 || commandParts(command).unread !== undefined) return undefined;
	return rule;
}

/** Rules with which it would run, as few as can be said; none: whatever rule allows it, it does not. */
export function allowingRules(command: string, policy: Policy): readonly string[] {
	const parts = commandParts(command).parts.filter((part) => isHeld(part, policy));
	const rules = [...new Set(parts.flatMap((part) => rulesOf(part, policy)))];
	const isEnough = (allow: readonly string[]) => {
		const all = [...policy.rules, ruleSet({ source: "an answer", allow, ask: [], deny: [] })];
		return decideCommand(command, { ...policy, rules: all }).is === "run";
	};
	if (rules.length > 0 && rules.length <= MAX_RULES && isEnough(rules)) return rules;
	return isEnough([ALL]) ? [ALL] : [];
}

function isHeld(part: Part, policy: Policy): boolean {
	return decideParts({ parts: [part] }, policy).is !== "run";
}

/** Of what it runs where that says it; else its own. */
function rulesOf(part: Part, policy: Policy): readonly string[] {
	if (part.inner.length > 0 && !part.widens)
		return part.inner.filter((one) => isHeld(one, policy)).flatMap((one) => rulesOf(one, policy));
	const set = changing(part)
		.map((one) => `${one.text} `)
		.join("");
	const rule = `Bash(${set}${patternOf(part)})`;
	return parseRule(rule).is === "bad" || rule.includes(ANY) ? [] : [rule];
}

function patternOf({ words, text }: Part): string {
	const [program = "", second = "", third = ""] = words;
	const name = programOf(program);
	const whole = text.replaceAll("*", "\\*");
	if (ANYTHING.has(name) || words.length === 1) return whole;
	if (!WITH_SUBCOMMANDS.has(name)) return `${program} *`;
	if (!/^[a-z][\w:-]*$/.test(second)) return whole;
	const isScript = second === "run" && /^[\w:.-]+$/.test(third);
	return `${program} ${second}${isScript ? ` ${third}` : ""} *`;
}
