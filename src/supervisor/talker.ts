/** What a person asks for who talks with the root of a conversation: to interrupt it, to take a message back, to be done. */
import { isOver, ROOT } from "../core/agent.ts";
import { newestOfPerson } from "../core/waiting-messages.ts";
import type { TalkRequest, Watcher } from "../protocol/watcher-messages.ts";
import type { Input } from "./decide/input.ts";
import { closeRefusal, interruptedAt, interruptRefusal } from "./decide/listening.ts";
import type { SupervisorState } from "./decide/supervisor-state.ts";

export interface TalkerDeps {
	dispatch: (input: Input) => void;
	state: () => SupervisorState;
}

export class Talker {
	private readonly deps: TalkerDeps;

	constructor(deps: TalkerDeps) {
		this.deps = deps;
	}

	handle(watcher: Pick<Watcher, "send">, request: TalkRequest): void {
		switch (request.say) {
			case "interrupt":
				return this.interrupt(watcher, request.agent);
			case "withdraw":
				return this.withdraw(watcher, request.agent);
			case "close":
				return this.close(watcher);
		}
	}

	private interrupt(watcher: Pick<Watcher, "send">, agent: string): void {
		const { state, dispatch } = this.deps;
		const reason = interruptRefusal(state(), agent);
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		const was = interruptedAt(state(), agent);
		dispatch({ is: "interrupt_asked", agent });
		watcher.send({ say: "interrupted", agent, was });
	}

	private withdraw(watcher: Pick<Watcher, "send">, agent: string): void {
		const { state, dispatch } = this.deps;
		const asked = state().run.agents[agent];
		const messages = asked === undefined || isOver(asked) ? [] : (asked.messages ?? []);
		const newest = messages[newestOfPerson(messages) ?? -1];
		if (newest === undefined)
			return watcher.send({ say: "refused", reason: `no message of yours waits for agent ${agent}` });
		dispatch({ is: "withdraw_asked", agent });
		watcher.send({ say: "withdrawn", agent, text: newest.text });
	}

	/** Answered by the end of the run. */
	private close(watcher: Pick<Watcher, "send">): void {
		const { state, dispatch } = this.deps;
		const reason = closeRefusal(state());
		if (reason !== undefined) return watcher.send({ say: "refused", reason });
		dispatch({ is: "close_asked", agent: ROOT });
	}
}
