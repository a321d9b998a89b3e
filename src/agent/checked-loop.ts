/**
 * The loop of an agent whose answer has to be JSON that fits a schema. What does not fit is told to the model, which answers
 * again, a bounded number of times.
 */
import { answerChecker, type CheckedAnswer } from "./answer-schema.ts";
import { Loop, type LoopEnd, type LoopOptions } from "./loop.ts";
import { NONE_UNFINISHED } from "./next-step.ts";
import type { Reply } from "./supervisor-client.ts";
import { userText } from "./user-content.ts";

export interface CheckedOptions extends LoopOptions {
	/** The text of the schema. */
	schema: string;
}

const MAX_ANSWERS = 4;

export function runCheckedLoop(options: CheckedOptions): Promise<LoopEnd> {
	return new CheckedLoop(options).work(options.firstMessage);
}

class CheckedLoop extends Loop {
	private readonly check: (answer: string) => CheckedAnswer;
	private answers = 0;

	constructor({ schema, ...options }: CheckedOptions) {
		super(options);
		this.check = answerChecker(schema, "--json-schema");
	}

	protected override async answered(reply: Extract<Reply, { say: "answer" }>): Promise<LoopEnd | undefined> {
		const end = await super.answered(reply);
		if (end?.ending.by !== "answer") return end;
		const checked = this.check(end.lastWords);
		if (checked.is === "fits") return { ...end, lastWords: checked.text };
		this.answers += 1;
		// What a command printed would not be another for being told so.
		if (this.answers >= MAX_ANSWERS || this.options.mayAnswerNothing) return this.failedWith(checked.problems);
		this.answerAgain(`Your answer does not fit the JSON Schema that it has to fit:
${checked.problems.map((problem) => `- ${problem}`).join("\n")}
Answer again: the JSON value alone, whole, and nothing before or after it.`);
		return undefined;
	}

	/** Nothing is printed: whoever reads JSON is better off without text that is none. */
	private failedWith(problems: readonly string[]): LoopEnd {
		const tried = this.answers === 1 ? "" : ` (answered ${this.answers} times)`;
		const reason = `the answer does not fit the JSON schema${tried}: ${problems.join("; ")}`;
		return { ending: { by: "failure", reason, exitCode: 1 }, lastWords: "" };
	}

	private answerAgain(words: string): void {
		this.unfinished = NONE_UNFINISHED;
		this.addUserMessage(userText(words));
	}
}
