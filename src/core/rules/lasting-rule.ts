/** The rule that would let a command run from now on without a question: what "always" means. Pure. */
import { commandParts, type Part } from "./command-parts.ts";
import { decideParts, type Policy } from "./decide-command.ts";
import { ANY } from "./pattern.ts";
import { parseRule } from "./rule.ts";
import { ruleSet } from "./rule-set.ts";
import { programOf } from "./wrappers.ts";

/** What these programs do is their second word, or behind `run` their third. */
const WITH_SUBCOMMANDS = new Set(
	"git npm pnpm yarn bun cargo go pip pip3 uv poetry docker podman kubectl gh make just mvn gradle dotnet gem bundle rake hg svn jj helm".split(
		" ",
	),
);
/** What these do depends on all of their words. */
const ANYTHING = new Set(
	"rm rmdir shred unlink mv cp dd chmod chown ln tee sed awk perl python python3 node ruby php bash sh zsh env sudo doas ssh scp rsync curl wget xargs find eval exec kill".split(
		" ",
	),
);

/** Undefined where one rule would not do, or would allow more than what was read. */
export function lastingRule(command: string, policy: Policy): string | undefined {
	const read = commandParts(command);
	const [part, ...others] = read.parts.filter((one) => decideParts({ parts: [one] }, policy).is !== "run");
	if (read.unread !== undefined || part === undefined || others.length > 0) return undefined;
	if (part.writesFile || part.assigned.length > 0 || part.inner.length > 0) return undefined;
	const rule = `Bash(${patternOf(part)})`;
	if (parseRule(rule).is === "bad" || rule.includes(ANY)) return undefined;
	const allowed = ruleSet({ source: "an answer", allow: [rule], ask: [], deny: [] });
	return decideParts(read, { ...policy, rules: [...policy.rules, allowed] }).is === "run" ? rule : undefined;
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
