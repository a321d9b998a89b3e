/** Pure. */
import type { Answer } from "./schemas/question.ts";

/** The words of a no to who asked; undefined for any other answer. */
export function saidNo(answer: Answer): string | undefined {
	if (answer.is !== "no" && answer.is !== "stop") return undefined;
	return `the person said no${answer.words === undefined ? "" : `: ${answer.words}`}`;
}
