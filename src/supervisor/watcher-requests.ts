/** What watchers ask for, once they are let in and may have it. */

import { type AgentId, isOver, ROOT } from "../core/model/agent.ts";
import { changedTodo, type TodoChange } from "../core/todo.ts";
import type { Watcher } from "../wire/watcher-messages.ts";
import type { Mailbox } from "./agents/mailbox.ts";
import type { Pauser, Stopper } from "./agents/pause-and-stop.ts";
import type { AttachedChats } from "./chat/attached-chats.ts";
import type { ChatRequests } from "./chat/chat-requests.ts";
import type { ClientListener, WatcherRequest } from "./clients/client.ts";
import type { RequestAllowances } from "./clients/request-allowances.ts";
import type { OutsideRuns } from "./permissions/outside-runs.ts";
import type { Questioner } from "./permissions/questioner.ts";
import type { RunCore } from "./run/run-core.ts";
import type { RecordCopies } from "./sandboxes/record-copies.ts";

interface Answering {
	readonly core: RunCore;
	readonly stopper: Stopper;
	readonly mailbox: Mailbox;
	readonly pauser: Pauser;
	readonly chatRequests: ChatRequests;
	readonly attachedChats: AttachedChats;
	readonly recordCopies: RecordCopies;
	readonly questioner: Questioner;
	readonly outsideRuns: OutsideRuns;
	readonly allowances: RequestAllowances;
	readonly rename: (name: string) => void;
}

export function handleWatcher(
	watcher: Watcher,
	message: WatcherRequest,
	{ core, stopper, mailbox, pauser, chatRequests, attachedChats, ...parts }: Answering,
): void {
	const copied = () => (message.say === "copy_record" ? parts.recordCopies.bytesOf(message.agent) : 0);
	const tooMuch = parts.allowances.refusal(message, copied);
	if (tooMuch !== undefined) return watcher.send({ say: "refused", reason: tooMuch });
	const agent = message.by ?? ROOT; // a person asks for nothing that is of the agent who asks: clients/rights.ts
	switch (message.say) {
		case "watch":
			core.feed.add(watcher, core.run, message);
			if (message.talks) attachedChats.add(watcher);
			return;
		case "focus":
			return core.feed.focus(watcher, message.agent);
		case "stop_agent":
			return stopper.handle(watcher, message);
		case "pause":
		case "continue":
			return pauser.handle(watcher, message);
		case "interrupt":
		case "withdraw":
		case "close":
		case "hang_up":
		case "change":
		case "compact":
		case "aside":
		case "context":
			return chatRequests.handle(watcher, message);
		case "todo":
			return changeTodo(core, watcher, { agent, change: message.change });
		case "copy_record":
			return void parts.recordCopies.give(watcher, message.agent, agent);
		case "question":
			return parts.questioner.ask(watcher, message, agent);
		case "run_outside":
			return parts.outsideRuns.ask(watcher, message, agent);
		case "outside_ready":
			return parts.outsideRuns.begin(watcher);
		case "answer":
			return parts.questioner.answer(watcher, message);
		case "name":
			parts.rename(message.name);
			return watcher.send({ say: "named", name: message.name });
		case "send":
			return mailbox.handle(watcher, message);
	}
}

/** Whether a watcher waits for a person, and what becomes of it when its connection is closed. */
export function watcherStanding(
	{ feed }: RunCore,
	{ attachedChats, questioner, outsideRuns }: Pick<Answering, "attachedChats" | "questioner" | "outsideRuns">,
): Pick<ClientListener, "isAsking" | "onWatcherClose"> {
	return {
		isAsking: (watcher) => questioner.isAsker(watcher) || outsideRuns.isClient(watcher),
		onWatcherClose: (watcher) => {
			attachedChats.remove(watcher);
			feed.remove(watcher);
			questioner.closed(watcher);
			outsideRuns.closed(watcher);
		},
	};
}

/** Changes the agent's plan, which it alone does, from its commands. */
export function changeTodo(
	{ run, dispatch }: RunCore,
	watcher: Pick<Watcher, "send">,
	{ agent: id, change }: { agent: AgentId; change: TodoChange },
): void {
	const agent = run.agents[id];
	if (agent === undefined || isOver(agent))
		return watcher.send({ say: "refused", reason: `agent ${id} has ended, so its plan cannot change` });
	const before = agent.todo ?? [];
	const changed = changedTodo(before, change);
	if (changed.is === "refused") return watcher.send({ say: "refused", reason: changed.reason });
	if (JSON.stringify(changed.items) !== JSON.stringify(before))
		dispatch({ is: "todo_changed", agent: id, items: changed.items });
	watcher.send({ say: "todo", items: changed.items });
}
