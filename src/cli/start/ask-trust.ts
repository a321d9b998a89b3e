/** Asks the person at the terminal whether the files of a project are used. */
import type { GuideFile } from "../../instructions/guide.ts";
import type { AskedFile } from "../../instructions/trust.ts";
import { complainInLines } from "../../terminal/print.ts";
import { openTypedLines } from "../io/typed-line.ts";
import { answerIn, QUESTION, questionLines, viewLines } from "./trust-question.ts";

/** Waits for the answer, however long that takes. Undefined when there is none: the end of input, or no terminal. */
export async function askTrust(project: string, files: readonly AskedFile<GuideFile>[]): Promise<boolean | undefined> {
	const lines = openTypedLines();
	if (lines === undefined) return undefined;
	try {
		complainInLines(questionLines(project, files).join("\n"));
		for (;;) {
			const typed = await lines.ask(QUESTION);
			const answer = typed === undefined ? undefined : answerIn(typed);
			if (answer === "view") complainInLines(viewLines(project, files).join("\n"));
			else if (answer !== "other") return answer === undefined ? undefined : answer === "yes";
		}
	} finally {
		lines.close();
	}
}
