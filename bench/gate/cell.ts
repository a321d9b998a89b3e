/** What is measured at once: one supervisor with so many agents alive. */
export interface GateCell {
	/** An id of its own: a run has a cgroup by that name. */
	readonly run: string;
	readonly slots: number;
	readonly alive: number;
	readonly table: "stub" | "real";
	readonly hasBudget: boolean;
	readonly model: string;
	/** The address of a service that is asked; absent: the model answers at once. */
	readonly service?: string | undefined;
	readonly home: string;
	readonly socket: string;
	readonly rootScript: string;
}

/** CPU milliseconds of the supervisor. */
export interface GateFigures {
	readonly joinMs: number;
	readonly turnMs: number;
	readonly endMs: number;
}

/** In `home`: where the root's process says who it is. */
export const ROOT_PID_FILE = "root.pid";
/** In `home`: the pids of the processes that it has started, one a line. */
export const CHILD_PIDS_FILE = "children.pids";
/** Of an agent that is no process: higher than any that a system gives, so no signal could ever meet somebody. */
export const FIRST_PID = 100_000_000;

/** Of the supervisor. `memoryMiB`: what the system counts. */
export interface Usage {
	readonly cpuMs: number;
	readonly memoryMiB: number;
	/** The most that it has computed at once since it was asked before: so long its loop stands still on a free machine. */
	readonly stallMs: number;
}
