/** A conversation to which something happens, for tests of what it makes of that. */

import { reduce } from "../../../../src/core/run/run-state.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import type { ChatState, Effect } from "../../../../src/faces/chat/chat-state.ts";
import { firstState } from "../../../../src/faces/chat/converse.ts";
import { type Input, update } from "../../../../src/faces/chat/update.ts";
import type { FromWatcher, ToWatcher } from "../../../../src/wire/watcher-messages.ts";
import { joined, runOf, turnEnded, turnStarted } from "../../core/run-of.ts";

const FACTS = {
	...{ home: undefined, directory: "/work", shownDirectory: "/work", model: "shell" },
	...{ models: ["opus", "shell"], efforts: ["low", "high"] },
	roles: [
		{ name: "explore", description: "looks" },
		{ name: "tester", description: "tests" },
	],
	commands: [{ name: "Fix", description: "Fix an issue", argumentHint: "NUMBER", text: "Fix issue $1: $ARGUMENTS" }],
	namesAtRoot: ["tmp", "help"],
};

export const LISTENING: RunEvent = { event: "agent_listening", at: 3000, agent: "1" };
export const WORKING = [joined("1"), turnStarted("1", 1)];
export const WAITING = [joined("1"), turnStarted("1", 1), turnEnded("1", 1), LISTENING];

export class Chat {
	state: ChatState;
	/** What was done since the last `did`. */
	effects: Effect[] = [];

	constructor(...events: readonly RunEvent[]) {
		const clock = { now: () => 10_000, elapsed: () => 0, after: () => () => {} };
		const first = firstState({ facts: FACTS, choice: {}, clock, opening: { is: "new", picks: undefined } });
		this.state = events.length === 0 ? first : { ...first, link: { is: "open" }, run: runOf(...events) };
	}

	/** Of a conversation with other facts. */
	with(facts: Partial<ChatState["facts"]>): this {
		this.state = { ...this.state, facts: { ...this.state.facts, ...facts } };
		return this;
	}

	input(input: Input): this {
		const { state, effects } = update(this.state, input, reduce);
		this.state = state;
		this.effects.push(...effects);
		return this;
	}

	say(text: string, isAtOnce = false): this {
		return this.input({ is: "submit", text, isAtOnce });
	}

	hear(...messages: readonly ToWatcher[]): this {
		for (const message of messages) this.input({ is: "message", message });
		return this;
	}

	happens(...events: readonly RunEvent[]): this {
		return this.hear(...events.map((event): ToWatcher => ({ say: "event", event })));
	}

	after(ms: number): this {
		this.state = { ...this.state, now: this.state.now + ms };
		return this;
	}

	/** What was done since the last time, without what is kept in the history, and what shows a slash command. */
	did(): Effect[] {
		return this.effects.splice(0).filter((effect) => effect.do !== "remember" && effect.do !== "echo");
	}

	/** What the supervisor was asked since the last time. */
	sent(): FromWatcher[] {
		return this.did().flatMap((effect) => (effect.do === "send" ? [effect.message] : []));
	}

	/** What was said since the last time. */
	printed(): string {
		const told = this.did().flatMap((effect) => (effect.do === "print" ? effect.lines : []));
		return told.map(({ text }) => text).join("\n");
	}
}
