/**
 * The supervisor's open files: one for each agent alive, one for each call under way, and its own. When none are left it can
 * neither read the process table nor write its record, so agents that join are refused before that.
 */
import { readdirSync, statSync } from "node:fs";
import { factsOf } from "../../models/catalogue.ts";
import { readFileLimit } from "../../processes/file-limit.ts";
import type { RunSettings } from "../run-settings.ts";

const OWN_FILES = 24; // Node's and the supervisor's own, measured: 22; and two watchers
const SPARE_FILES = 12; // open for a moment: the process table, a transcript, connections that are being refused

export interface Descriptors {
	readonly open: number;
	/** The soft limit. */
	readonly most: number;
}

/** The settings by which a run needs open files. */
type FileNeeds = Pick<RunSettings, "limits" | "model">;

/** Those of this process; undefined where the system does not tell. */
export function readDescriptors(): Descriptors | undefined {
	const limit = readFileLimit("self");
	if (limit === undefined) return undefined;
	try {
		return { open: countOpen(), most: limit.soft };
	} catch {
		return { open: limit.soft, most: limit.soft }; // EMFILE: none are left
	}
}

/** Since Linux 6.2 the size of the directory is the number of open files; to list 2,000 of them takes 2 ms. */
function countOpen(): number {
	return statSync("/proc/self/fd").size || readdirSync("/proc/self/fd").length;
}

/** The reason why an agent, which is connected already, may not join; undefined when it may. */
export function tooManyOpen(descriptors: Descriptors | undefined, settings: FileNeeds): string | undefined {
	if (descriptors === undefined || descriptors.open + callsAtOnce(settings) + SPARE_FILES <= descriptors.most)
		return undefined;
	return `the supervisor may have no more than ${descriptors.most} files open (ulimit -n), one for each agent: wait for other agents to end, or do this task yourself`;
}

/** A notice for before the run starts, when its limits promise more agents than `most` open files allow; else undefined. */
export function fewFilesNotice(settings: FileNeeds, most: number): string | undefined {
	const { maxAgents } = settings.limits;
	const beside = OWN_FILES + callsAtOnce(settings) + SPARE_FILES;
	const needed = beside + maxAgents;
	if (needed <= most) return undefined;
	return `with ulimit -Hn ${most} there is room for about ${Math.max(1, most - beside)} agents alive at once, fewer than --max-agents ${maxAgents}: more are refused; raise the limit to ${needed} (ulimit -n as root, LimitNOFILE=, docker run --ulimit nofile=), or lower --max-agents`;
}

/** How many connections the server takes. Further ones are closed without a word: to say why takes an open file, too. */
export function maxConnections({ open, most }: Descriptors): number {
	return Math.max(1, most - open - SPARE_FILES / 2);
}

function callsAtOnce({ limits, model }: FileNeeds): number {
	return factsOf(model).isRemote ? Math.min(limits.maxConcurrency, limits.maxAgents) : 0;
}
