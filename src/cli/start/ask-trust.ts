/** Asks the person at the terminal whether the files of a project are used. */
import type { GuideFile } from "../../instructions/guide.ts";
import type { AskedFile } from "../../instructions/trust.ts";
import { complainInLines } from "../../terminal/print.ts";
import { askKey } from "../io/ask-key.ts";
import { QUESTION, questionLines, viewLines } from "./trust-question.ts";

/** Waits for the answer, however long that takes. Undefined when there is none. */
export async function askTrust(project: string, files: readonly AskedFile<GuideFile>[]): Promise<boolean | undefined> {
	complainInLines(questionLines(project, files).join("\n"));
	for (;;) {
		const answer = await askKey(QUESTION, "ynv");
		if (answer !== "v") return answer === undefined ? undefined : answer === "y";
		complainInLines(viewLines(project, files).join("\n"));
	}
}
