/**
 * Shortages of the machine: memory, disk, and the run's own share of the disk. A run continues with less: short of memory,
 * agents that have not begun wait; short of disk or of its share, no logs of commands are written; short of disk, no child
 * starts either.
 */
import { formatBytes } from "../bytes.ts";

export interface Bounds {
	/** The size of all logs of commands of the run together. */
	readonly maxOutputBytes: number;
	/** Free space on the file system of the run's directory. */
	readonly keepFreeDiskBytes: number;
	/** Free memory of the machine, or of what the control group may have. */
	readonly keepFreeMemoryPercent: number;
}

export const DEFAULT_BOUNDS: Bounds = {
	maxOutputBytes: 2 * 1024 ** 3,
	keepFreeDiskBytes: 1024 ** 3,
	keepFreeMemoryPercent: 10,
};

/** What the machine has and the run has used; undefined where the system does not tell. */
export interface MachineResources {
	readonly outputBytes: number;
	readonly freeDiskBytes: number | undefined;
	readonly freeMemoryPercent: number | undefined;
}

export const SCARCE_RESOURCES = ["memory", "disk", "output"] as const;
type ScarceResource = (typeof SCARCE_RESOURCES)[number];

export interface Shortage {
	readonly what: ScarceResource;
	readonly reason: string;
}

/** The beginning of the note, in a command's result, that the log has not all of the output. */
export const LOG_CUT = "[not all of the output was saved: ";

const RELIEF = 1.1; // a shortage is over at a tenth above where it began, so that it does not flap

/** The shortages now. `before`: those so far; one that lasts keeps its reason. */
export function shortagesIn(resources: MachineResources, bounds: Bounds, before: readonly Shortage[]): Shortage[] {
	const known = (what: ScarceResource) => before.find((shortage) => shortage.what === what);
	const isBelow = (what: ScarceResource, value: number | undefined, least: number) =>
		value !== undefined && value < (known(what) === undefined ? least : least * RELIEF);
	const shortages: Shortage[] = [];
	const add = (what: ScarceResource, reason: string) => shortages.push(known(what) ?? { what, reason });
	const { freeMemoryPercent, freeDiskBytes, outputBytes } = resources;
	const { keepFreeMemoryPercent, keepFreeDiskBytes, maxOutputBytes } = bounds;
	if (isBelow("memory", freeMemoryPercent, keepFreeMemoryPercent))
		add(
			"memory",
			`only ${Math.floor(freeMemoryPercent ?? 0)} % of the memory is free and ${keepFreeMemoryPercent} % must stay free: new agents wait`,
		);
	if (isBelow("disk", freeDiskBytes, keepFreeDiskBytes))
		add(
			"disk",
			`only ${formatBytes(freeDiskBytes ?? 0)} are free on the disk that stores the run, and ${formatBytes(keepFreeDiskBytes)} must stay free`,
		);
	if (outputBytes >= maxOutputBytes || known("output") !== undefined)
		add("output", `the commands of this run have printed more than ${formatBytes(maxOutputBytes)} in total`);
	return shortages;
}

/** Why no logs of commands are written; undefined while they are. */
export function logsForbiddenBy(shortages: readonly Shortage[]): string | undefined {
	return shortages.find(({ what }) => what === "disk" || what === "output")?.reason;
}

export function shortageOfKind(shortages: readonly Shortage[] | undefined, what: ScarceResource): Shortage | undefined {
	return shortages?.find((shortage) => shortage.what === what);
}
