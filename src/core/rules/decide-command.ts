/** Whether a command runs, is refused, or is asked about: by rules, by what it deletes, and by the mode of who runs it. Pure. */
import type { ModeInForce } from "../ask-mode.ts";
import { BUILT_IN } from "./built-in-rules.ts";
import { type CommandParts, commandParts } from "./command-parts.ts";
import { type DeletePlace, deletedOutside } from "./deletes-outside.ts";
import { type Judgement, judgeCommand } from "./judge-command.ts";
import type { RuleSet } from "./rule.ts";

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

/** The variable, as paths of what is deleted have it. */
const HOME = /\$(?:HOME\b|\{HOME(?:%\/)?(?::?[-?=][^{}$`'"]*)?\})/g;
const RUN: Decided = { is: "run" };

export function decideCommand(command: string, policy: Policy): Decided {
	const decided = decideParts(commandParts(command), policy);
	const { deletes } = policy;
	if (decided.is !== "run" || deletes === undefined || !/^[\w./,:@+-]+$/.test(deletes.home)) return decided;
	const atHome = command.replaceAll(HOME, deletes.home);
	return atHome === command ? decided : decideParts(commandParts(atHome), policy);
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
				return { is: "asks", because: `it deletes outside the work tree: ${outside.path}` };
			if (mode === "edge" || mode === "never") return RUN;
			const unread = judged.unread === undefined ? "" : `; part of it cannot be parsed: ${judged.unread}`;
			const without = judged.without === undefined ? "" : `; a rule allows it without ${judged.without}`;
			return { is: "asks", because: `no rule allows ${judged.part || "it"}${without}${unread}` };
		}
	}
}

function whyAsked({ rule, source, part, mayBe, without }: Extract<Judgement, { is: "asks" | "denied" }>): string {
	const named = source === BUILT_IN ? `the built-in rule "${rule}"` : `the rule ${rule} of ${source}`;
	if (mayBe) return `it may match ${named}: ${part}`;
	const allowed = without === undefined ? "" : `; another rule allows it without ${without}`;
	return `${named}${part === rule ? "" : ` names ${part}`}${allowed}`;
}
