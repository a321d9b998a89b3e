/**
 * The supervisor's open files: one for each agent alive, one for each call under way, and its own. When it has none left
 * it can neither read the process table nor write its record; so who joins is refused before that.
 */
import { readdirSync, statSync } from "node:fs";
import { factsOf } from "../../models/catalogue.ts";
import { readFileLimit } from "../../processes/file-limit.ts";
import type { RunSettings } from "../run-settings.ts";

const OWN_FILES = 24; // Node's and ours, measured: 22; and who watches
const SPARE_FILES = 12; // open for a moment: the process table, a transcript, connections that are just refused

export interface Descriptors {
	readonly open: number;
	readonly most: number;
}

type Promised = Pick<RunSettings, "limits" | "model">;

/** Undefined where the system does not tell. */
export function readDescriptors(): Descriptors | undefined {
	const limit = readFileLimit("self");
	if (limit === undefined) return undefined;
	try {
		return { open: countOpen(), most: limit.soft };
	} catch {
		return { open: limit.soft, most: limit.soft }; // EMFILE
	}
}

/** Since Linux 6.2 the directory's size is their number; to list 2,000 takes 2 ms. */
function countOpen(): number {
	return statSync("/proc/self/fd").size || readdirSync("/proc/self/fd").length;
}

/** Why one more agent, which is connected already, may not join. */
export function tooManyOpen(descriptors: Descriptors | undefined, settings: Promised): string | undefined {
	if (descriptors === undefined || descriptors.open + callsAtOnce(settings) + SPARE_FILES <= descriptors.most)
		return undefined;
	return `the supervisor may have no more than ${descriptors.most} files open (ulimit -n), one for each agent: wait for other agents to end, or do this task yourself`;
}

/** Said before the run starts, when its limits promise more agents than the open files allow. */
export function fewFilesNotice(settings: Promised, most: number): string | undefined {
	const { maxAgents } = settings.limits;
	const beside = OWN_FILES + callsAtOnce(settings) + SPARE_FILES;
	const needed = beside + maxAgents;
	if (needed <= most) return undefined;
	return `with ulimit -Hn ${most} there is room for about ${Math.max(1, most - beside)} agents alive at once, fewer than --max-agents ${maxAgents}: more are refused; raise the limit to ${needed} (ulimit -n as root, LimitNOFILE=, docker run --ulimit nofile=), or lower --max-agents`;
}

/** Who connects beyond that is cut off without a word: saying it takes an open file, too. */
export function maxConnections({ open, most }: Descriptors): number {
	return Math.max(1, most - open - SPARE_FILES / 2);
}

function callsAtOnce({ limits, model }: Promised): number {
	return factsOf(model).isRemote ? Math.min(limits.maxConcurrency, limits.maxAgents) : 0;
}
