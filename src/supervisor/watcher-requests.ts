/** What watchers ask for, once they are let in and may have it. */
import type { RunState } from "../core/run-state.ts";
import type { Proof } from "../protocol/hello.ts";
import type { FromWatcher } from "../protocol/watcher-messages.ts";
import type { Feed, Watcher } from "./record/feed.ts";
import type { Stopper } from "./stopper.ts";

interface Answering {
	readonly feed: Feed;
	readonly stopper: Stopper;
	readonly run: RunState;
}

export function handleWatcher(
	watcher: Watcher,
	message: Exclude<FromWatcher, Proof>,
	{ feed, stopper, run }: Answering,
): void {
	switch (message.say) {
		case "watch":
			return feed.add(watcher, run);
		case "focus":
			return feed.focus(watcher, message.agent);
		case "stop_agent":
			return stopper.handle(watcher, message);
	}
}
