/**
 * The loop of an agent whose answer has to be JSON that fits a schema. What does not fit is told to the model, which answers
 * again, a bounded number of times.
 */
import { answerChecker } from "./answer-schema.ts";
import { Loop, type LoopEnd, type LoopOptions } from "./loop.ts";
import type { Reply } from "./supervisor-client.ts";
import type { UserContent } from "./user-content.ts";

export interface CheckedOptions extends LoopOptions {
	/** The text of the schema. */
	schema: string;
}

const MAX_ANSWERS = 4;

/** Judges the answers to one task, or to one message of a conversation after the other. */
export interface AnswerGate {
	/** The next answer is the first to something new. */
	reset(): void;
	/** The end that stands, or what the model is told, which answers again. */
	judge(end: LoopEnd): LoopEnd | string;
	/** An end without an answer, a limit, say: what there is of one counts only when it fits. */
	last(end: LoopEnd): LoopEnd;
}

/** `isFinal`: the answer is what a command printed, which would not be another for being told so. */
export function answerGate(schema: string, isFinal: boolean): AnswerGate {
	const check = answerChecker(schema, "--json-schema");
	let answers = 0;
	return {
		reset: () => {
			answers = 0;
		},
		last: (end) => {
			if (end.ending.by === "answer") return end;
			const checked = check(end.lastWords);
			return checked.is === "fits" ? { ...end, lastWords: checked.text } : { ...end, isUnfit: true };
		},
		judge: (end) => {
			if (end.ending.by !== "answer") return end;
			const checked = check(end.lastWords);
			if (checked.is === "fits") return { ...end, lastWords: checked.text };
			answers += 1;
			if (answers >= MAX_ANSWERS || isFinal) return failedWith(checked.problems, answers);
			return `Your answer does not fit the JSON Schema that it has to fit:
${checked.problems.map((problem) => `- ${problem}`).join("\n")}
Answer again: the JSON value alone, whole, and nothing before or after it.`;
		},
	};
}

/** Nothing is printed: whoever reads JSON is better off without text that is none. */
function failedWith(problems: readonly string[], answers: number): LoopEnd {
	const tried = answers === 1 ? "" : ` (answered ${answers} times)`;
	const reason = `the answer does not fit the JSON schema${tried}: ${problems.join("; ")}`;
	return { ending: { by: "failure", reason, exitCode: 1 }, lastWords: "" };
}

export function runCheckedLoop(options: CheckedOptions): Promise<LoopEnd> {
	return new CheckedLoop(options).work(options.firstMessage);
}

const REPORT =
	"You can make no more calls, and no more commands run. Answer now with what you have: the JSON value alone, as the schema has it.";

class CheckedLoop extends Loop {
	private readonly gate: AnswerGate;
	protected override readonly report = REPORT;

	constructor({ schema, ...options }: CheckedOptions) {
		super(options);
		this.gate = answerGate(schema, options.mayAnswerNothing);
	}

	override async work(said: UserContent): Promise<LoopEnd> {
		return this.gate.last(await super.work(said));
	}

	protected override async answered(reply: Extract<Reply, { say: "answer" }>): Promise<LoopEnd | undefined> {
		const end = await super.answered(reply);
		const judged = end && this.gate.judge(end);
		if (typeof judged === "string") this.answerAgain(judged);
		return typeof judged === "string" ? undefined : judged;
	}
}
