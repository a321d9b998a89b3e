/** What confines the agents of a run: that of the run, narrowed by descent; in a git worktree of its own an agent has that as its project. */
import { realpathSync } from "node:fs";
import { mayBeAsked } from "../../core/ask-mode.ts";
import { AgentreeError } from "../../core/errors.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { accessTo, type Confinement, deepestOver, isHidden, narrowed } from "../../core/machine/sandbox.ts";
import { modeBelow } from "../../core/rules/narrowing.ts";
import { worktreesOfRun } from "../../core/run/file-events.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import type { AgentFile } from "../../core/schemas/run-files.ts";
import { hiddenBy } from "../../sandbox/confinement-of.ts";
import { inWorktree } from "../../sandbox/derived-confinements.ts";
import { lookAtPlace } from "../../sandbox/look-at-places.ts";
import { REPLACED } from "../../sandbox/places.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";

/** Of an agent. */
export interface Confined {
	readonly file: Pick<AgentFile, "sandbox">;
}

export class Confinements {
	/** The run's: the widest. */
	readonly ofRun: Confinement | undefined;

	constructor({ sandbox, home, run }: RunSettings) {
		this.ofRun = sandbox && withoutWorktrees(sandbox.confinement, { home, run });
	}

	/** Of an agent that joins; undefined for no sandbox. `own`: its worktree. */
	of(join: Join, parent: Confined | undefined, own: OwnWorktree | undefined): Confinement | undefined {
		const above = this.above(parent);
		if (above === undefined) return undefined;
		const { sandbox: wish } = join;
		const narrow = wish === undefined ? above : narrowed(above, wish, hiddenBy(wish, lookAtPlace)).confinement;
		if (own === undefined) return narrow;
		return inWorktree(narrow, own, writableOf(wish?.allowWrite ?? whatRunAllows(parent, own), above));
	}

	/** Of an agent that goes on: no wider than it was, and no wider than what is above it now. */
	again(
		before: Confinement | undefined,
		parent: Confined | undefined,
		own: OwnWorktree | undefined,
	): Confinement | undefined {
		const above = this.above(parent);
		if (above === undefined || (own === undefined && (parent === undefined || before === undefined))) return above;
		const narrow = parent === undefined || before === undefined ? above : narrowedAsBefore(above, before, own);
		return own === undefined ? narrow : inWorktree(narrow, own, writableOf(whatRunAllows(parent, own), narrow));
	}

	/** Throws AgentreeError("usage") for an agent that asks for something to be hidden that it could read all the same. */
	check({ sandbox: wish }: Pick<Join, "sandbox">, parent: Confined | undefined): void {
		const above = this.above(parent);
		const path = wish?.denyRead?.find((each) => above === undefined || !canHide(each, above));
		if (path === undefined) return;
		const why =
			above === undefined
				? "the run has no sandbox to hide it in"
				: "it cannot be hidden: either it does not exist, or each run or sandbox has its own (in /tmp, /run, /dev/shm, /proc/PID)";
		throw new AgentreeError("usage", `--deny-read ${path}: ${why}`);
	}

	/** What an agent asks for and is not given. */
	noticesOf({ sandbox: wish }: Pick<Join, "sandbox">, parent: Confined | undefined): readonly string[] {
		if (parent === undefined || wish === undefined) return [];
		const above = parent.file.sandbox;
		if (above === undefined)
			return wish.mode === "off" ? [] : ["no sandbox: the run has none, and a child agent uses the run's sandbox"];
		return narrowed(above, wish, []).notices;
	}

	private above(parent: Confined | undefined): Confinement | undefined {
		return parent === undefined ? this.ofRun : parent.file.sandbox;
	}
}

/** Whether the agent can ask a person to let a command leave its sandbox. */
export function mayAskToLeave({ asking: own }: Pick<AgentFile, "asking">, asking: RunSettings["asking"]): boolean {
	return mayBeAsked(asking && { ...asking, mode: modeBelow(asking.mode ?? "never", own?.mode) });
}

/** Each sandbox has others. */
const OF_EACH = /^\/proc\/\d|^\/dev\/(shm|pts)(\/|$)/;

/** What lies in the /tmp of a run is shared by all of its agents, and is not what lies at that path outside. */
function canHide(path: string, { mounts }: Confinement): boolean {
	const place = lookAtPlace(path)?.path;
	if (place === undefined || OF_EACH.test(place)) return false;
	return !REPLACED.test(place) || deepestOver(place, mounts) !== undefined;
}

/** A run whose root has a worktree has the tree of which that is writable only where a person asked for it. */
function whatRunAllows(parent: Confined | undefined, { origin }: OwnWorktree): readonly string[] {
	return parent === undefined ? [origin] : [];
}

function writableOf(paths: readonly string[], { mounts }: Confinement): string[] {
	return paths.filter((path) => accessTo(path, mounts) === "write");
}

/** What is hidden in its own worktree is looked at anew. */
function narrowedAsBefore(above: Confinement, before: Confinement, own: OwnWorktree | undefined): Confinement {
	const { mode, mounts, network, hosts } = before;
	const allowWrite = mounts.flatMap(({ as, path }) => (as === "write" ? [path] : []));
	const isOwn = (path: string) => own !== undefined && isAtOrBelow(path, own.path);
	const isNew = (path: string) => !isHidden(accessTo(path, above.mounts));
	const hidden = mounts.filter(({ as, path }) => isHidden(as) && isNew(path) && !isOwn(path));
	return narrowed(above, { mode, allowWrite, network, allowHosts: hosts }, hidden).confinement;
}

/** That of a run that goes on may have the worktree of the root before: it may be gone. */
function withoutWorktrees(confinement: Confinement, { home, run }: { home: string; run: string }): Confinement {
	const all = worktreesOfRun(run, realpathSync(home));
	return { ...confinement, mounts: confinement.mounts.filter(({ path }) => !isAtOrBelow(path, all)) };
}
