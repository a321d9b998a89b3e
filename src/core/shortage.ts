/**
 * What a run may use up of the machine, beyond the limits of its agents, and what there is too little of. While there
 * is a shortage the run goes on with less: without memory, agents that have not begun wait; without disk, or with too
 * much of it used, commands' logs are not written; without disk no child starts either.
 */
import { formatBytes } from "./bytes.ts";

export interface Bounds {
	/** Of all commands' logs of the run together. */
	readonly maxOutputBytes: number;
	/** On the file system of the run's directory. */
	readonly keepFreeDiskBytes: number;
	/** Of the machine's memory, or of what the control group may have. */
	readonly keepFreeMemoryPercent: number;
}

export const DEFAULT_BOUNDS: Bounds = {
	maxOutputBytes: 2 * 1024 ** 3,
	keepFreeDiskBytes: 1024 ** 3,
	keepFreeMemoryPercent: 10,
};

/** Undefined: the system does not tell. */
export interface MachineResources {
	readonly outputBytes: number;
	readonly freeDiskBytes: number | undefined;
	readonly freeMemoryPercent: number | undefined;
}

export const SCARCE_RESOURCES = ["memory", "disk", "output"] as const;
export type ScarceResource = (typeof SCARCE_RESOURCES)[number];

export interface Shortage {
	readonly what: ScarceResource;
	readonly reason: string;
}

/** How a command's result says that its log ends before its output does. */
export const LOG_CUT = "[not all of the output is kept in a file: ";

const RELIEF = 1.1; // a shortage is over at a tenth more than where it began, so that it does not come and go

/** `before`: the shortages that there were. One that lasts keeps its reason. */
export function shortagesIn(supply: MachineResources, bounds: Bounds, before: readonly Shortage[]): Shortage[] {
	const known = (what: ScarceResource) => before.find((shortage) => shortage.what === what);
	const isBelow = (what: ScarceResource, value: number | undefined, least: number) =>
		value !== undefined && value < (known(what) === undefined ? least : least * RELIEF);
	const shortages: Shortage[] = [];
	const add = (what: ScarceResource, reason: string) => shortages.push(known(what) ?? { what, reason });
	const { freeMemoryPercent, freeDiskBytes, outputBytes } = supply;
	const { keepFreeMemoryPercent, keepFreeDiskBytes, maxOutputBytes } = bounds;
	if (isBelow("memory", freeMemoryPercent, keepFreeMemoryPercent))
		add(
			"memory",
			`only ${Math.floor(freeMemoryPercent ?? 0)} % of the memory is free, ${keepFreeMemoryPercent} % are kept: agents that have not begun wait`,
		);
	if (isBelow("disk", freeDiskBytes, keepFreeDiskBytes))
		add(
			"disk",
			`only ${formatBytes(freeDiskBytes ?? 0)} are free on the disk of the run's record, ${formatBytes(keepFreeDiskBytes)} are kept`,
		);
	if (outputBytes >= maxOutputBytes || known("output") !== undefined)
		add("output", `the commands of this run have printed more than ${formatBytes(maxOutputBytes)} together`);
	return shortages;
}

/** Why commands' logs are not written; undefined while they are. */
export function logsForbiddenBy(shortages: readonly Shortage[]): string | undefined {
	return shortages.find(({ what }) => what === "disk" || what === "output")?.reason;
}

export function shortageOfKind(shortages: readonly Shortage[] | undefined, what: ScarceResource): Shortage | undefined {
	return shortages?.find((shortage) => shortage.what === what);
}
