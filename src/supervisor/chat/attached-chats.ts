/**
 * The watchers at which a person talks with the root of a conversation: each is told how many others there are. A conversation whose
 * root listens, while nobody watches and no other agent lives, waits for nobody: its terminal is gone. It is closed after a while, so
 * that no process is left forever; it can be resumed all the same.
 */

import { ROOT } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import type { Watcher } from "../../wire/watcher-messages.ts";
import { closeRefusal } from "../decide/listening.ts";
import type { RunCore } from "../run/run-core.ts";

const ALONE_MS = 60_000; // a dashboard that lost its link, or a person who moves to another terminal, is back by then

export class AttachedChats {
	private readonly core: RunCore;
	private readonly all = new Set<Watcher>();
	/** How often the conversation has been left alone: a timer of before does not count. */
	private times = 0;
	private isAlone = false;

	constructor(core: RunCore) {
		this.core = core;
		core.feed.onChanged = () => this.lookIfAlone();
	}

	add(watcher: Watcher): void {
		this.all.add(watcher);
		this.tell();
	}

	remove(watcher: Watcher): void {
		if (this.all.delete(watcher)) this.tell();
	}

	/** Whether there is another one. */
	isBeside(watcher: Watcher): boolean {
		return this.all.size > (this.all.has(watcher) ? 1 : 0);
	}

	private tell(): void {
		for (const chat of [...this.all]) chat.send({ say: "talkers", others: this.all.size - 1 });
	}

	private lookIfAlone(): void {
		const isAlone = this.isLeftAlone();
		if (isAlone === this.isAlone) return;
		this.isAlone = isAlone;
		if (!isAlone) return;
		this.times += 1;
		const { times } = this;
		this.core.timers.after(ALONE_MS, () => {
			if (this.isAlone && this.times === times) this.core.dispatch({ is: "close_asked", agent: ROOT });
		});
	}

	private isLeftAlone(): boolean {
		const { feed, state, run } = this.core;
		if (feed.isWatched() || closeRefusal(state) !== undefined) return false;
		return branchOf(run.agents, ROOT).living === 1 && !state.answered.has(ROOT);
	}
}
