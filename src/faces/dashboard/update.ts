/** Everything that changes a picture goes through `update`: pure. */

import { defined } from "../../core/defined.ts";
import { type AgentId, isOver } from "../../core/model/agent.ts";
import { branchOf } from "../../core/run/agent-index.ts";
import { agentsInOrder, createBatchReduce, type RunState, reduce } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { Key } from "../../tui/keys/key.ts";
import { overNow } from "../../tui/questions/open-question.ts";
import { type SeenCommands, withTold } from "../../view/agents/activity.ts";
import { newestOf } from "../../view/events/news.ts";
import { type PhaseChange, withChanges } from "../../view/timeline/phases.ts";
import type { ActRequest, AnswerRequest, ToWatcher } from "../../wire/watcher-messages.ts";
import { openPane } from "./panes.ts";
import { paste, point, pressKey } from "./press.ts";
import { type AgentTranscript, type CommandOutput, emptyTranscript, withOutput } from "./scene/agent-transcript.ts";
import type { Step, Wish } from "./scene/pane.ts";
import {
	type Answer,
	type Ask,
	describeAnswer,
	describePendingRequests,
	isAnswer,
	NO_PENDING_REQUESTS,
	type PendingRequests,
	type StopAsk,
} from "./scene/pending-requests.ts";
import type { Answers, Details, Picture } from "./scene/scene.ts";
import { answeringOf, closed, noticed, select, type UiState, withAnswering, withDraft } from "./scene/ui-state.ts";

export type Input =
	| { readonly is: "key"; readonly key: Key }
	/** Messages of the supervisor, in their order. */
	| { readonly is: "messages"; readonly messages: readonly ToWatcher[] }
	/** The supervisor is gone. */
	| { readonly is: "lost"; readonly at: number }
	/** A signal has stopped the supervisor, or it goes on. */
	| { readonly is: "suspended"; readonly isSuspended: boolean }
	/** The transcript of the selected agent as it is now. */
	| { readonly is: "transcript"; readonly shown: Omit<AgentTranscript, "outputs"> }
	/** Some of the output of a command of the selected agent. */
	| { readonly is: "printed"; readonly command: number; readonly read: CommandOutput }
	/** What was seen of all running commands. */
	| { readonly is: "activity"; readonly commands: SeenCommands }
	/** What agents have answered. */
	| { readonly is: "answers"; readonly answers: Answers }
	| { readonly is: "details"; readonly details: Details }
	| EventsInput
	/** Something to say in the bar. */
	| { readonly is: "told"; readonly text: string; readonly isTrouble: boolean }
	| { readonly is: "stop_asked" };

export type EventsInput =
	/** New in the run's event log, in order: events, of very many the newest, and the changes that all of them bring. */
	| { readonly is: "events"; readonly events: readonly RunEvent[]; readonly changes: readonly PhaseChange[] }
	| { readonly is: "events_unreadable"; readonly why: string };

/** The next picture always has the transcript of its selected agent. */
export function update(picture: Picture, input: Input): Next {
	const { picture: next, ...rest } = nextOf(picture, input);
	return { ...rest, picture: refocus(withProgress(next)) };
}

function refocus(picture: Picture): Picture {
	const { ui, transcript } = picture;
	return ui.selected === transcript.agent ? picture : { ...picture, transcript: emptyTranscript(ui.selected) };
}

function nextOf(picture: Picture, input: Input): Next {
	if (input.is === "messages") return receiveAll({ ...picture, isSuspended: false }, input.messages);
	if (input.is !== "key") return { picture: pictureAfter(picture, input) };
	const { ui, wish } = stepOf(picture, input.key);
	const next = { ...picture, ui };
	return wish?.is === "ask" ? ask(next, wish) : { picture: next, ...defined({ wish }) };
}

function stepOf(picture: Picture, key: Key): Step {
	switch (key.is) {
		case "text":
		case "key":
			return pressKey(picture, key);
		case "paste":
			return paste(picture, key);
		case "mouse":
			return point(picture, key);
		case "focus":
			return { ui: picture.ui };
	}
}

/** However many events they tell, they cost one copy of the run's state. */
function receiveAll(picture: Picture, messages: readonly ToWatcher[]): Next {
	const reduce = createBatchReduce();
	let next: Next = { picture };
	for (const message of messages) {
		const { wish } = next;
		const after = isAnswer(message) ? hear(next.picture, message) : { picture: receive(next.picture, message, reduce) };
		next = { ...defined({ wish }), ...after };
	}
	return next;
}

function pictureAfter(picture: Picture, input: Exclude<Input, { is: "key" | "messages" }>): Picture {
	const { transcript } = picture;
	switch (input.is) {
		case "lost":
			return loseRun(picture, input.at);
		case "suspended":
			return { ...picture, isSuspended: input.isSuspended };
		case "transcript":
			return input.shown.agent === transcript.agent
				? { ...picture, transcript: { ...transcript, ...input.shown } }
				: picture;
		case "printed":
			return { ...picture, transcript: withOutput(transcript, input.command, input.read) };
		case "details":
			return { ...picture, details: input.details };
		case "events":
			return withEvents(picture, input);
		case "activity":
			return { ...picture, activity: { ...picture.activity, commands: input.commands } };
		case "answers":
			return { ...picture, answers: input.answers };
		case "events_unreadable":
			return { ...picture, unreadable: input.why };
		case "told": {
			const tone = input.isTrouble ? "bad" : "plain";
			return { ...picture, ui: noticed(picture.ui, input.text, { tone, now: picture.now }) };
		}
		case "stop_asked":
			return { ...picture, isStopAsked: true };
	}
}

function withEvents(picture: Picture, { events, changes }: Extract<Input, { is: "events" }>): Picture {
	const phases = withChanges(picture.phases ?? new Map(), changes);
	return { ...picture, events: newestOf(picture.events, events), phases };
}

/** How what the person asks of the run, and the run's answers, change the picture: pure. */
interface Next {
	readonly picture: Picture;
	readonly wish?: Wish;
}

type AskWish = Extract<Wish, { is: "ask" }>;

/** The wish is for what can be asked at once. */
function ask(picture: Picture, wish: AskWish): Next {
	const { asks = NO_PENDING_REQUESTS, run } = picture;
	const { message, about } = wish;
	const agents = message.say === "answer" ? 1 : branchOf(run.agents, message.agent).living;
	if (message.say === "stop_agent")
		return { picture: { ...picture, asks: withStop(asks, { message, about, agents }) }, wish };
	const others = [...asks.others, { message, about, agents }];
	return { picture: { ...picture, asks: { ...asks, others } }, ...(others.length === 1 && { wish }) };
}

/** The first answer to a stop counts also for one that was asked to hurry it. */
function withStop({ stops, others }: PendingRequests, ask: StopAsk): PendingRequests {
	const before = stops.find(({ message }) => message.agent === ask.message.agent);
	const rest = stops.filter((other) => other !== before);
	return { stops: [...rest, { ...ask, agents: Math.max(ask.agents, before?.agents ?? 0) }], others };
}

/** An answer to nothing that this dashboard has asked changes nothing. */
function hear(picture: Picture, answer: Answer): Next {
	const { asks = NO_PENDING_REQUESTS } = picture;
	if (answer.say === "stopped") {
		const done = asks.stops.find(({ message }) => message.agent === answer.agent);
		if (done === undefined) return { picture };
		const stops = asks.stops.filter((other) => other !== done);
		return { picture: told({ ...picture, asks: { ...asks, stops } }, done, answer) };
	}
	const [first, ...others] = asks.others;
	if (first === undefined || !answers(answer, first.message)) return { picture };
	const next = told({ ...picture, asks: { ...asks, others } }, first, answer);
	return { picture: next, ...(others[0] !== undefined && { wish: wishFor(others[0]) }) };
}

function answers(answer: Exclude<Answer, { say: "stopped" }>, asked: ActRequest | AnswerRequest): boolean {
	if (answer.say === "refused") return true;
	if (answer.say === "answer_taken") return asked.say === "answer" && asked.question === answer.question;
	const say = { paused: "pause", continued: "continue", sent: "send" }[answer.say];
	return asked.say !== "answer" && asked.say === say && asked.agent === answer.agent;
}

function wishFor({ message, about }: Ask): Wish {
	return { is: "ask", message, about };
}

function told(picture: Picture, ask: Ask, answer: Answer): Picture {
	const { text, isGood } = describeAnswer(ask, answer);
	const ui = answer.say === "refused" ? withUnsent(picture.ui, ask) : picture.ui;
	return { ...picture, ui: noticed(ui, text, { tone: isGood ? "good" : "bad", now: picture.now }) };
}

/** A message that did not go out is a draft again, unless another one was begun meanwhile. */
function withUnsent(ui: UiState, { message }: Ask): UiState {
	if (message.say !== "send" || ui.drafts.has(message.agent)) return ui;
	return withDraft(ui, message.agent, message.text);
}

/** What is under way is said in the bar, and what a run that is over will not answer any more. */
function withProgress(picture: Picture): Picture {
	const { asks = NO_PENDING_REQUESTS, run, isLost, ui } = picture;
	if (asks.stops.length + asks.others.length > 0 && (run.ended !== undefined || isLost))
		return unanswered(picture, asks);
	const text = describePendingRequests(asks, run);
	const { notice } = ui;
	if (notice !== undefined && notice.isProgress !== true && (notice.until > picture.now || text === undefined))
		return picture;
	if (notice?.text === text) return picture;
	const { notice: _, ...rest } = ui;
	if (text === undefined) return { ...picture, ui: rest };
	return {
		...picture,
		ui: { ...rest, notice: { text, tone: "warn", until: Number.POSITIVE_INFINITY, isProgress: true } },
	};
}

/** Stops need no answer any more: whatever they were for has ended, and what is left alive is told with the run's end. */
function unanswered(picture: Picture, { others }: PendingRequests): Picture {
	const { isLost } = picture;
	const { asks: _, ...rest } = picture;
	const [first] = others;
	if (first === undefined) return withProgress(rest);
	const ui = others.reduce(withUnsent, picture.ui);
	const why = isLost ? "the run's supervisor is gone" : "the run has ended";
	const text = `${why} before answering the request for ${first.about}`;
	return { ...rest, ui: noticed(ui, text, { tone: "bad", now: picture.now }) };
}

/** How a message of the supervisor changes the picture: pure. */

/** A selection that follows stays so long with an agent that works: the eye needs time when many work. */
const FOLLOW_HOLD_MS = 1_500;

/** `reduceBy`: for messages in a row one that is made for batches. */
export function receive(picture: Picture, message: ToWatcher, reduceBy = reduce): Picture {
	switch (message.say) {
		case "snapshot":
			return withOutcome({ ...picture, run: message.state });
		case "event":
			return afterEvent(picture, message.event, reduceBy);
		case "activity":
			return { ...picture, activity: withTold(picture.activity, message, picture.run) };
		case "delta": // goes to the transcript's reader
		case "recorded":
		case "refused": // answers: see update.ts
		case "stopped":
		case "sent":
		case "paused":
		case "continued":
		case "interrupted":
		case "withdrawn":
		case "todo":
		case "changed":
		case "compacting":
		case "aside_delta":
		case "aside_answer":
		case "context":
		case "named":
		case "talkers":
		case "asked":
		case "answered":
		case "unanswered":
		case "record_copied":
		case "outside_opened":
		case "outside_ended":
		case "answer_taken":
			return picture;
	}
}

/** Agents end with their supervisor, so none is shown as alive after it is gone. */
export function loseRun(picture: Picture, at: number): Picture {
	const alive = agentsInOrder(picture.run).filter((agent) => !isOver(agent));
	const ending = { by: "crashed", reason: "the run's supervisor is gone" } as const;
	const reduceBy = createBatchReduce();
	const run = alive.reduce(
		(state, { id }) => reduceBy(state, { event: "agent_ended", at, agent: id, ending }),
		picture.run,
	);
	return { ...picture, run, isLost: true, ui: runIsOver(picture.ui) };
}

/** A selection that follows goes to the agent that works. */
export function agentWorked(ui: UiState, agent: AgentId, run: RunState, at: number): UiState {
	if (ui.follow.is === "off" || ui.selected === agent) return ui;
	const current = run.agents[ui.selected];
	const isHeld = current !== undefined && !isOver(current) && current.state.is !== "waiting";
	if (isHeld && Math.abs(at - ui.follow.since) < FOLLOW_HOLD_MS) return ui;
	return { ...select(ui, agent), follow: { is: "on", since: at } };
}

/** A question is closed when the run is over. */
export function runIsOver(ui: UiState): UiState {
	return openPane(ui)?.isQuestion ? closed(ui) : ui;
}

function afterEvent(picture: Picture, event: RunEvent, reduceBy: typeof reduce): Picture {
	const next = withOutcome({ ...picture, run: reduceBy(picture.run, event) }, event);
	if (event.event === "run_ended") return { ...next, ui: runIsOver(next.ui) };
	const worked = agentAtWork(event);
	return worked === undefined ? next : { ...next, ui: agentWorked(next.ui, worked, next.run, event.at) };
}

/** A question that a person has turned to may have been answered elsewhere, or nobody waits for it any more. */
function withOutcome(picture: Picture, event?: RunEvent): Picture {
	const before = answeringOf(picture.ui);
	if (before === undefined) return picture;
	const answering = overNow(before, picture.run, event);
	return answering === before ? picture : { ...picture, ui: withAnswering(picture.ui, answering) };
}

function agentAtWork(event: RunEvent): AgentId | undefined {
	const isWork = event.event === "turn_started" || event.event === "command_started";
	return isWork ? event.agent : undefined;
}
