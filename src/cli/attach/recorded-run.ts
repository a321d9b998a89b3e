/** A run that is over, for a dashboard: its files tell the whole, once. */
import type { RunState } from "../../core/run-state.ts";
import type { RunLink } from "../../dashboard/options.ts";
import type { ToWatcher } from "../../protocol/watcher-messages.ts";

export function recordedRun(state: RunState): RunLink {
	let listener: (message: ToWatcher) => void = () => {};
	return {
		onMessage: (next) => {
			listener = next;
		},
		onClose: () => {},
		send: ({ say }) => {
			if (say === "watch") listener({ say: "snapshot", state });
		},
	};
}
