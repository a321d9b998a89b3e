/** Whether a command runs, is refused, or is asked about: by rules, by what it deletes, and by the mode of who runs it. Pure. */
import type { ModeInForce } from "../ask-mode.ts";
import { BUILT_IN } from "./built-in-rules.ts";
import { type CommandParts, commandParts } from "./command-parts.ts";
import { type DeletePlace, deletedOutside } from "./deletes-outside.ts";
import { type Judgement, judgeCommand, type RuleSet } from "./judge-command.ts";

export interface Policy {
	readonly mode: ModeInForce;
	/** The lowest source first. */
	readonly rules: readonly RuleSet[];
	/** Where it may delete; absent: a sandbox bounds that. */
	readonly deletes?: DeletePlace | undefined;
}

export type Decided =
	| { readonly is: "run" }
	| { readonly is: "refused"; readonly because: string }
	/** A person would have to allow it. */
	| { readonly is: "asks"; readonly because: string };

const RUN: Decided = { is: "run" };

export function decideCommand(command: string, policy: Policy): Decided {
	const decided = decideParts(commandParts(command), policy);
	const said = withKnownVariables(command, policy.deletes === undefined ? {} : { HOME: policy.deletes.home });
	if (decided.is === "refused" || said === command) return decided;
	const known = decideParts(commandParts(said), policy);
	return known.is === "refused" || decided.is === "run" ? known : decided;
}

export function decideParts(read: CommandParts, { mode, rules, deletes }: Policy): Decided {
	const judged = judgeCommand(read, rules);
	switch (judged.is) {
		case "denied":
			return { is: "refused", because: `the rule ${judged.rule} of ${judged.source} denies ${judged.part}` };
		case "asks":
			return mode === "skipped" ? RUN : { is: "asks", because: whyAsked(judged) };
		case "allowed":
			return RUN;
		case "unnamed": {
			if (mode === "skipped") return RUN;
			const outside = deletes && deletedOutside(read.parts, deletes);
			if (outside !== undefined && (outside.isCertain || mode !== "never"))
				return { is: "asks", because: `it deletes outside of the work tree: ${outside.path}` };
			if (mode === "edge" || mode === "never") return RUN;
			const unread = judged.unread === undefined ? "" : `; not all of it can be read: ${judged.unread}`;
			const without = judged.without === undefined ? "" : `; one does without ${judged.without}`;
			return { is: "asks", because: `no rule allows ${judged.part || "it"}${without}${unread}` };
		}
	}
}

function whyAsked({ rule, source, part, mayBe, without }: Extract<Judgement, { is: "asks" | "denied" }>): string {
	const named = source === BUILT_IN ? `the built-in rule "${rule}"` : `the rule ${rule} of ${source}`;
	if (mayBe) return `it may be what ${named} names: ${part}`;
	const allowed = without === undefined ? "" : `; another one allows it without ${without}`;
	return `${named}${part === rule ? "" : ` names ${part}`}${allowed}`;
}

/**
 * A command with the values of variables in their place, as far as those are plain to see: for what a person would read in
 * `D=/etc; rm -rf "$D/x"`. Good enough to find what is asked about, not to allow anything. Pure.
 */

const NAME = "[A-Za-z_][A-Za-z0-9_]*";
/** Where a command may begin; a variable before a command is set for that alone. */
const ASSIGNED = new RegExp(
	`(?:^|[;\\n&|({]|\\bexport|\\bdeclare|\\blocal)[ \\t]*(${NAME})=(\\S*?)(?=[ \\t]*(?:[;\\n&|)]|$))`,
	"g",
);
const USED = new RegExp(`\\$(?:(${NAME})|\\{(${NAME})(?:%/)?(?::?[-?=][^{}$\`'"]*)?\\})`, "g");
/** Nothing that a shell would read as more than a part of a path. */
const PLAIN = /^[\w./,:@+-]+$/;
/** Each is looked for in all of the command. */
const MAX_CHARS = 8_000;
const MAX_ASSIGNED = 50;

/** `given`: those that the command has from outside. */
export function withKnownVariables(command: string, given: Readonly<Record<string, string>>): string {
	if (!command.includes("$") || command.length > MAX_CHARS) return command;
	const known = new Map(Object.entries(given).filter(([, value]) => PLAIN.test(value)));
	const insert = (text: string) =>
		text.replaceAll(USED, (whole, bare: string | undefined, braced: string | undefined) => {
			return known.get(bare ?? braced ?? "") ?? whole;
		});
	const assigned = [...command.matchAll(ASSIGNED)].slice(0, MAX_ASSIGNED);
	for (const [, name = "", value = ""] of assigned) {
		const times = command.match(new RegExp(`\\b${name}\\+?=|\\b(?:for|read|unset)[ \\t]${name}\\b`, "g"))?.length;
		const read = insert(value.replace(/^(["'])(.*)\1$/, "$2")).replace(/^~(?=\/|$)/, given.HOME ?? "~");
		if (times === 1 && PLAIN.test(read)) known.set(name, read);
		else known.delete(name);
	}
	return insert(command);
}
