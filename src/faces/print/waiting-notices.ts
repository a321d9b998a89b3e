/** Tells that agents of a run wait for a person: at once, and again while they do, since nobody may be looking. */
import type { Clock } from "../../core/clock.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { formatDuration } from "../../text/durations.ts";
import { questionNotice } from "../../view/events/question-meanings.ts";

const AGAIN_MS = 120_000;

type Asked = Extract<RunEvent, { event: "question_asked" }>;

interface Open {
	readonly asked: Asked;
	readonly run: string;
	isTold: boolean;
}

export class WaitingNotices {
	private readonly clock: Pick<Clock, "now" | "after">;
	private readonly say: (line: string) => void;
	private readonly open = new Map<number, Open>();
	private callOffFirst: (() => void) | undefined;
	private callOffNext: (() => void) | undefined;

	constructor(clock: Pick<Clock, "now" | "after">, say: (line: string) => void) {
		this.clock = clock;
		this.say = say;
	}

	/** Needs all events of a run in order. What a run has behind it already may come at once: of that only what is open is told. */
	onEvent(event: RunEvent, run: string): void {
		switch (event.event) {
			case "question_asked":
				this.open.set(event.question, { asked: event, run, isTold: false });
				this.callOffFirst ??= this.clock.after(0, () => this.tellNew());
				return;
			case "question_answered":
			case "question_withdrawn":
				return this.drop((asked) => asked.question === event.question);
			case "agent_ended":
				return this.drop(({ agent }) => agent === event.agent);
			case "run_ended":
				return this.drop(() => true);
		}
	}

	private drop(isOver: (asked: Asked) => boolean): void {
		for (const [question, { asked }] of this.open) if (isOver(asked)) this.open.delete(question);
		if (this.open.size > 0) return;
		this.callOffFirst?.();
		this.callOffNext?.();
		this.callOffFirst = this.callOffNext = undefined;
	}

	private tellNew(): void {
		this.callOffFirst = undefined;
		for (const one of this.open.values()) {
			if (!one.isTold) this.say(lineOf(one, "waiting for you"));
			one.isTold = true;
		}
		this.callOffNext ??= this.clock.after(AGAIN_MS, () => this.tellAgain());
	}

	private tellAgain(): void {
		this.callOffNext = this.clock.after(AGAIN_MS, () => this.tellAgain());
		const [oldest, ...others] = this.open.values();
		if (oldest === undefined) return;
		const { asked, run } = oldest;
		const verb = others.length === 1 ? "waits" : "wait";
		const more = others.length === 0 ? "" : `; ${others.length} more ${verb}: agent questions ${run}`;
		this.say(`${lineOf(oldest, `still waiting for you after ${formatDuration(this.clock.now() - asked.at)}`)}${more}`);
	}
}

function lineOf({ asked, run }: Open, how: string): string {
	return `agent: ${how}: ${questionNotice(asked, { run })}`;
}
