/** What a dashboard is given, and how it ends. */
import type { WatcherConnection } from "../protocol/watcher-connection.ts";

export interface DashboardOptions {
	readonly runDirectory: string;
	readonly connection: WatcherConnection;
	readonly input: NodeJS.ReadableStream;
	readonly output: NodeJS.WritableStream;
	/** The dashboard reads `NO_COLOR` from it. */
	readonly env: Readonly<Record<string, string | undefined>>;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
	/** The dashboard closes by itself when the run has ended, instead of waiting for `q`. */
	readonly closeAtEnd?: boolean;
}

export interface DashboardEnd {
	/** `stopped`: the run was asked to stop, and may not have ended yet. `lost`: the supervisor died. */
	readonly by: "run_ended" | "left_running" | "stopped" | "lost";
}
