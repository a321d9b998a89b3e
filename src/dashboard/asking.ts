/** How what the person asks of the run, and the run's answers, change the picture: pure. */
import { branchOf } from "../core/agent-index.ts";
import type { ActRequest, AnswerRequest } from "../protocol/watcher-messages.ts";
import { type Answer, type Ask, type Asks, describeAnswer, describeAsks, NO_ASKS, type StopAsk } from "./scene/asks.ts";
import type { Wish } from "./scene/pane.ts";
import type { Picture } from "./scene/scene.ts";
import { noticed, type UiState, withDraft } from "./scene/ui-state.ts";

export interface Next {
	readonly picture: Picture;
	readonly wish?: Wish;
}

type AskWish = Extract<Wish, { is: "ask" }>;

/** The wish is for what can be asked at once. */
export function ask(picture: Picture, wish: AskWish): Next {
	const { asks = NO_ASKS, run } = picture;
	const { message, about } = wish;
	const agents = message.say === "answer" ? 1 : branchOf(run.agents, message.agent).living;
	if (message.say === "stop_agent")
		return { picture: { ...picture, asks: withStop(asks, { message, about, agents }) }, wish };
	const others = [...asks.others, { message, about, agents }];
	return { picture: { ...picture, asks: { ...asks, others } }, ...(others.length === 1 && { wish }) };
}

/** The first answer to a stop counts also for one that was asked to hurry it. */
function withStop({ stops, others }: Asks, ask: StopAsk): Asks {
	const before = stops.find(({ message }) => message.agent === ask.message.agent);
	const rest = stops.filter((other) => other !== before);
	return { stops: [...rest, { ...ask, agents: Math.max(ask.agents, before?.agents ?? 0) }], others };
}

/** An answer to nothing that this dashboard has asked changes nothing. */
export function hear(picture: Picture, answer: Answer): Next {
	const { asks = NO_ASKS } = picture;
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
export function withProgress(picture: Picture): Picture {
	const { asks = NO_ASKS, run, isLost, ui } = picture;
	if (asks.stops.length + asks.others.length > 0 && (run.ended !== undefined || isLost))
		return unanswered(picture, asks);
	const text = describeAsks(asks, run);
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
function unanswered(picture: Picture, { others }: Asks): Picture {
	const { isLost } = picture;
	const { asks: _, ...rest } = picture;
	const [first] = others;
	if (first === undefined) return withProgress(rest);
	const ui = others.reduce(withUnsent, picture.ui);
	const why = isLost ? "the run's supervisor is gone" : "the run has ended";
	const text = `${why}, and has not answered what was asked of ${first.about}`;
	return { ...rest, ui: noticed(ui, text, { tone: "bad", now: picture.now }) };
}
