/** What watchers ask for, once they are let in and may have it. */

import { ROOT } from "../core/model/agent.ts";
import type { RunFile } from "../core/model/transcript.ts";
import type { RunEvent } from "../core/run/run-event.ts";
import type { RunState } from "../core/run/run-state.ts";
import type { Watcher } from "../wire/watcher-messages.ts";
import type { Pauser, Stopper } from "./agents/pause-and-stop.ts";
import type { Todos } from "./agents/todos.ts";
import type { AttachedChats } from "./chat/attached-chats.ts";
import type { ChatRequests } from "./chat/chat-requests.ts";
import type { Mailbox } from "./chat/mailbox.ts";
import type { ClientListener, WatcherRequest } from "./clients/client-listener.ts";
import type { RequestAllowances } from "./clients/request-allowances.ts";
import type { OutsideRuns } from "./permissions/outside-runs.ts";
import type { Questioner } from "./permissions/questioner.ts";
import type { Feed } from "./record/feed.ts";
import type { Journal } from "./record/journal.ts";
import { namedRunFileOf } from "./record/run-files.ts";
import type { RecordCopies } from "./sandboxes/record-copies.ts";

interface Answering extends Renaming {
	readonly feed: Feed;
	readonly stopper: Stopper;
	readonly mailbox: Mailbox;
	readonly pauser: Pauser;
	readonly chatRequests: ChatRequests;
	readonly attachedChats: AttachedChats;
	readonly todos: Todos;
	readonly recordCopies: RecordCopies;
	readonly questioner: Questioner;
	readonly outsideRuns: OutsideRuns;
	readonly allowances: RequestAllowances;
}

export function handleWatcher(
	watcher: Watcher,
	message: WatcherRequest,
	{ feed, stopper, mailbox, pauser, chatRequests, attachedChats, ...parts }: Answering,
): void {
	const copied = () => (message.say === "copy_record" ? parts.recordCopies.bytesOf(message.agent) : 0);
	const tooMuch = parts.allowances.refusal(message, copied);
	if (tooMuch !== undefined) return watcher.send({ say: "refused", reason: tooMuch });
	const agent = message.by ?? ROOT; // a person asks for nothing that is of the agent who asks: clients/rights.ts
	switch (message.say) {
		case "watch":
			feed.add(watcher, parts.run(), message);
			if (message.talks) attachedChats.add(watcher);
			return;
		case "focus":
			return feed.focus(watcher, message.agent);
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
			return parts.todos.handle(watcher, message.change, agent);
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
			renameRun(message.name, parts);
			return watcher.send({ say: "named", name: message.name });
		case "send":
			return mailbox.handle(watcher, message);
	}
}

/** Whether a watcher waits for a person, and what becomes of it when its connection is closed. */
export function watcherStanding({
	feed,
	attachedChats,
	questioner,
	outsideRuns,
}: Pick<Answering, "feed" | "attachedChats" | "questioner" | "outsideRuns">): Pick<
	ClientListener,
	"isAsking" | "onWatcherClose"
> {
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

/** Gives the living run another name: as an event, and in run.json, by which lists know it. */
interface Renaming {
	readonly journal: Pick<Journal, "runFile">;
	/** As the run began, or was resumed. */
	readonly runFile: RunFile;
	readonly run: () => RunState;
	readonly emit: (event: RunEvent) => void;
	readonly now: () => number;
}

/** `name`: empty for none. */
function renameRun(name: string, { journal, runFile, run, emit, now }: Renaming): void {
	emit({ event: "run_named", at: now(), name });
	journal.runFile(namedRunFileOf(runFile, run()));
}
