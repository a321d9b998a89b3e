/** This process as a job of its shell: how it is stopped (Ctrl-Z), and whether it has the terminal. */
import { isInForeground } from "./foreground.ts";
import { wakeForSignals } from "./wake-for-signals.ts";

/** The `Job` of terminal/suspension.ts. `signals`: those that wake it while it is stopped. */
export function ownJob(env: Readonly<Record<string, string | undefined>>, signals: readonly number[]) {
	const listeners = new Set<() => void>();
	return {
		onStopAsked: (act: () => void) => {
			listeners.add(act);
			process.on("SIGTSTP", act);
			return () => {
				listeners.delete(act);
				process.off("SIGTSTP", act);
			};
		},
		stop: (whole: boolean) => {
			for (const act of listeners) process.off("SIGTSTP", act); // else the system would not stop this process
			process.kill(whole ? 0 : process.pid, "SIGTSTP");
			for (const act of listeners) process.on("SIGTSTP", act);
		},
		/** What a terminal does at Ctrl-C, when it is not in raw mode. */
		interrupt: () => void process.kill(0, "SIGINT"),
		isInForeground,
		wakeForSignals: () => wakeForSignals(signals, env.PATH ?? ""),
	};
}
