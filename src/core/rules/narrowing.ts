/** How the commands of an agent, and of all below it, are bounded more than those above it. Pure. */
import { type ModeInForce, type NarrowMode, narrowedMode, SKIPPED } from "../ask-mode.ts";
import { defined } from "../defined.ts";
import { faultIn } from "./rule.ts";

/** What is asked for a child: nothing of it lets a command run that would not have. */
export interface AskedNarrowing {
	readonly mode?: NarrowMode;
	readonly ask?: readonly string[];
	readonly deny?: readonly string[];
}

/** What is in force below an agent, in addition to what is for the whole run. */
export interface Narrowing {
	readonly mode?: NarrowMode;
	readonly ask: readonly string[];
	readonly deny: readonly string[];
}

const NONE: Narrowing = { ask: [], deny: [] };

/** The mode of an agent in a run of that mode. */
export function modeBelow(ofRun: ModeInForce, mode: NarrowMode | undefined): ModeInForce {
	const narrowed = mode === undefined ? "wider" : narrowedMode(ofRun, mode);
	return narrowed === "wider" ? ofRun : narrowed;
}

/** Undefined for nothing. A wider mode is left out: `faultOf` says so. */
export function narrowedBy(
	asked: AskedNarrowing | undefined,
	above: Narrowing | undefined,
	ofRun: ModeInForce,
): Narrowing | undefined {
	if (asked === undefined) return above;
	const { mode: before, ask, deny } = above ?? NONE;
	const wished = asked.mode === undefined ? "wider" : narrowedMode(modeBelow(ofRun, above?.mode), asked.mode);
	const mode = wished === "wider" ? before : wished;
	return { ...defined({ mode }), ask: joined(ask, asked.ask), deny: joined(deny, asked.deny) };
}

/** Why it cannot be had below; undefined when it can. */
export function faultOf(
	{ mode, ask = [], deny = [] }: AskedNarrowing,
	above: Narrowing | undefined,
	ofRun: ModeInForce,
): string | undefined {
	const fault = faultIn({ allow: [], ask, deny });
	if (fault !== undefined) return fault;
	const now = modeBelow(ofRun, above?.mode);
	if (mode === undefined || narrowedMode(now, mode) !== "wider") return undefined;
	const why = now === "always" ? "the agent above asks before each command" : "the agent above asks before no command";
	return `--ask ${mode}: ${why}, and a child agent cannot have more freedom; leave it out, or restrict the child with --ask-for and --deny`;
}

/** What both ask for: a role, and the command that starts an agent in it. */
export function both(role: AskedNarrowing | undefined, own: AskedNarrowing | undefined): AskedNarrowing | undefined {
	if (role === undefined || own === undefined) return role ?? own;
	return narrowedBy(own, { ...defined({ mode: role.mode }), ask: role.ask ?? [], deny: role.deny ?? [] }, SKIPPED);
}

function joined(one: readonly string[] = [], other: readonly string[] = []): readonly string[] {
	return [...new Set([...one, ...other])];
}
