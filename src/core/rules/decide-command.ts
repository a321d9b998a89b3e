/** Whether a command runs, is refused, or is asked about: by rules, by what it deletes, and by the mode of its agent. Pure. */
import type { ModeInForce } from "../ask-mode.ts";
import { BUILT_IN } from "./built-in-rules.ts";
import { type CommandParts, commandParts, looseText, type Part, withInner } from "./command-parts.ts";
import { type DeletePlace, deletedOutside } from "./deletes-outside.ts";
import { type Assigned, shown } from "./read-script.ts";
import { matches, mayMatch, type Pattern, type Rule, type RuleSet } from "./rule.ts";

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
			const without = judged.without === undefined ? "" : `; a rule would allow it if ${judged.without} were left out`;
			return { is: "asks", because: `no rule allows ${judged.part || "it"}${without}${unread}` };
		}
	}
}

function whyAsked({ rule, source, part, mayBe, without }: Extract<Judgement, { is: "asks" | "denied" }>): string {
	const named = source === BUILT_IN ? `the built-in rule "${rule}"` : `the rule ${rule} of ${source}`;
	if (mayBe) return `it may match ${named}: ${part}`;
	const allowed = without === undefined ? "" : `; another rule would allow it if ${without} were left out`;
	return `${named}${part === rule ? "" : ` matches ${part}`}${allowed}`;
}

/**
 * What rules say to a command. Of several commands in one every one has to be allowed, and one that is denied denies all. A rule that denies
 * always counts; else the rules of the highest source that names a part, and there the one that asks.
 */

export type Judgement =
	/** `part`: of the command; `rule`: what names it; `source`: whose rule that is. `without`: as in `Hindered`. */
	| (Named & { readonly is: "denied" | "asks"; readonly mayBe?: true })
	| { readonly is: "allowed" }
	/** No rule names the part, or not all of the command can be read, for the reason `unread`. */
	| ({ readonly is: "unnamed"; readonly unread?: string } & Hindered);

interface Hindered {
	readonly part: string;
	/** What of the part keeps a rule from allowing it, as it is written: `FOO=bar`, `> log`. */
	readonly without?: string;
}

interface Named extends Hindered {
	readonly rule: string;
	readonly source: string;
}

/** `sets`: the lowest first. */
export function judgeCommand({ parts, unread }: CommandParts, sets: readonly RuleSet[]): Judgement {
	const all = parts.flatMap(withInner);
	const strict = sets.filter(({ isBuiltIn }) => !isBuiltIn);
	const denied = first(all, (part) => named(part, sets, { by: "deny", isCertain: true }));
	if (denied !== undefined) return { is: "denied", ...denied };
	const asks = first(all, (part) => asksFor(part, sets));
	if (asks !== undefined) return { is: "asks", ...asks };
	const byName = strict.map((set) => ({ ...set, allow: set.allow.filter(({ isForAll }) => !isForAll) }));
	for (const by of ["deny", "ask"] as const) {
		const may = first(all, (part) =>
			isAllowed(part, byName) ? undefined : named(part, strict, { by, isCertain: false }),
		);
		if (may !== undefined) return { is: "asks", ...may, mayBe: true };
	}
	const rule = unread === undefined ? undefined : anyOf(strict);
	if (rule !== undefined) return { is: "asks", part: unread ?? "", ...rule, mayBe: true };
	const unnamed = firstUnallowed(parts, sets);
	const hindered = unnamed === undefined ? undefined : hinderedBy(unnamed, sets);
	if (unread !== undefined && !allowsAll(sets)) return { is: "unnamed", ...(hindered ?? { part: "" }), unread };
	return hindered === undefined ? { is: "allowed" } : { is: "unnamed", ...hindered };
}

/** The innermost of the first part that no rule allows. */
function firstUnallowed(parts: readonly Part[], sets: readonly RuleSet[]): Part | undefined {
	const part = parts.find((one) => !isAllowed(one, sets));
	return part === undefined || part.widens ? part : (firstUnallowed(part.inner, sets) ?? part);
}

function hinderedBy(part: Part, sets: readonly RuleSet[]): Hindered {
	const set = changing(part).map(({ written }) => written);
	const without = [...set, ...(part.writes === "" ? [] : [part.writes])].join(" ");
	const isHindered = without !== "" && part.words.length > 0 && isAllowed({ ...part, assigned: [], writes: "" }, sets);
	return { part: part.shown, ...(isHindered && { without: shown(without) }) };
}

function first(parts: readonly Part[], find: (part: Part) => Named | undefined): Named | undefined {
	for (const part of parts) {
		const found = find(part);
		if (found !== undefined) return found;
	}
	return undefined;
}

type Kind = "deny" | "ask";

function named(
	part: Part,
	sets: readonly RuleSet[],
	{ by, isCertain }: { by: Kind; isCertain: boolean },
): Named | undefined {
	for (const set of sets.toReversed()) {
		const rule = set[by].find((other) => names(other, part, isCertain));
		if (rule !== undefined) return { part: part.shown, rule: rule.text, source: set.source };
	}
	return undefined;
}

/** The rule that asks about the part, unless a higher source allows it. */
function asksFor(part: Part, sets: readonly RuleSet[]): Named | undefined {
	for (const [at, set] of [...sets.entries()].toReversed()) {
		const rule = set.ask.find((other) => names(other, part, true));
		const above = sets.slice(at + 1);
		if (rule !== undefined) return { ...hinderedBy(part, above), rule: rule.text, source: set.source };
		if (isAllowed(part, [set])) return undefined;
	}
	return undefined;
}

function names(rule: Rule, { text, plainTexts }: Part, isCertain: boolean): boolean {
	const texts = [text, ...plainTexts];
	if (isCertain) return rule.patterns.some((pattern) => texts.some((one) => matches(pattern, one)));
	return rule.patterns.some((pattern) =>
		texts.some((one) => mayMatch(pattern, one) || mayMatch(pattern, looseText(one))),
	);
}

/** A rule that allows a command allows neither that its output replaces a file, nor a variable that makes it another command, but for one that it names. */
function isAllowed(part: Part, sets: readonly RuleSet[]): boolean {
	const rules = sets.flatMap(({ allow }) => allow);
	if (rules.some(({ isForAll }) => isForAll)) return true;
	if (part.writes !== "") return false;
	const patterns = rules.flatMap((rule) => rule.patterns);
	const set = changing(part);
	if ([set, part.assigned].some((variables) => areNamed(part, variables, patterns))) return true;
	return set.length === 0 && part.inner.length > 0 && !part.widens && part.inner.every((one) => isAllowed(one, sets));
}

/** Whether a pattern names the part with these variables, which it has to begin with. */
function areNamed({ text }: Part, variables: readonly Assigned[], patterns: readonly Pattern[]): boolean {
	if (variables.some((one) => /\s/.test(one.text))) return false;
	const before = variables.map((one) => `${one.text} `).join("");
	return patterns.some((pattern) => pattern.pieces[0]?.startsWith(before) && matches(pattern, before + text));
}

/** The variables of the part that may make it another command. */
export function changing({ assigned }: Part): readonly Assigned[] {
	return assigned.filter(({ name }) => !HARMLESS.test(name));
}

/** Variables that change how a program says something, or where it looks for nothing that it runs. */
const HARMLESS =
	/^(?:LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|CI|DEBUG|VERBOSE|NODE_ENV|RUST_BACKTRACE|RUST_LOG|GOOS|GOARCH|CGO_ENABLED|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_TERMINAL_PROMPT)$/;

function anyOf(sets: readonly RuleSet[]): Omit<Named, "part"> | undefined {
	for (const { source, deny, ask } of sets.toReversed()) {
		const rule = deny[0] ?? ask[0];
		if (rule !== undefined) return { rule: rule.text, source };
	}
	return undefined;
}

function allowsAll(sets: readonly RuleSet[]): boolean {
	return sets.some(({ allow }) => allow.some(({ isForAll }) => isForAll));
}
