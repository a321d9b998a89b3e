/**
 * A conversation whose root listens, while nobody watches and no other agent lives, waits for nobody: its terminal is gone. It is
 * closed after a while, so that no process is left for ever; whoever comes back goes on with it all the same.
 */
import { ROOT } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { Input } from "../decide/input.ts";
import { closeRefusal } from "../decide/listening.ts";
import type { SupervisorState } from "../decide/supervisor-state.ts";
import type { Feed } from "../record/feed.ts";
import type { RunTimers } from "../run-timers.ts";

const ALONE_MS = 60_000; // a dashboard that lost its link, or a person who moves to another terminal, is back by then

export interface AbandonedChatDeps {
	feed: Pick<Feed, "isWatched" | "onChanged">;
	timers: Pick<RunTimers, "after">;
	state: () => SupervisorState;
	dispatch: (input: Input) => void;
}

export class AbandonedChat {
	private readonly deps: AbandonedChatDeps;
	/** How often it has been left alone: a timer of before does not count. */
	private times = 0;
	private isAlone = false;

	constructor(deps: AbandonedChatDeps) {
		this.deps = deps;
		deps.feed.onChanged = () => this.look();
	}

	private look(): void {
		const isAlone = this.isLeftAlone();
		if (isAlone === this.isAlone) return;
		this.isAlone = isAlone;
		if (!isAlone) return;
		this.times += 1;
		const { times } = this;
		this.deps.timers.after(ALONE_MS, () => {
			if (this.isAlone && this.times === times) this.deps.dispatch({ is: "close_asked", agent: ROOT });
		});
	}

	private isLeftAlone(): boolean {
		const { feed, state } = this.deps;
		if (feed.isWatched() || closeRefusal(state()) !== undefined) return false;
		return branchOf(state().run.agents, ROOT).living === 1 && !state().answered.has(ROOT);
	}
}
