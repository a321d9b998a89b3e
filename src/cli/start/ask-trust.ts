/** Asks the person at the terminal whether the files of a project are used. */
import { closeSync, openSync, readSync } from "node:fs";
import type { GuideFile } from "../../instructions/guide.ts";
import type { AskedFile } from "../../instructions/trust.ts";
import { isInForeground } from "../../processes/foreground.ts";
import { complainInLines, print } from "../../terminal/print.ts";
import { answerIn, QUESTION, questionLines, viewLines } from "./trust-question.ts";

const TERMINAL = "/dev/tty";
const MAX_ANSWER_BYTES = 1024;

/** True when there is a person to ask: a process in the background that reads from the terminal would be stopped. */
export function canAsk(): boolean {
	const { stdin, stderr } = process;
	return stdin.isTTY === true && stderr.isTTY === true && isInForeground();
}

/** Waits for the answer, however long that takes. Undefined when there is none: the end of input, or no terminal. */
export async function askTrust(project: string, files: readonly AskedFile<GuideFile>[]): Promise<boolean | undefined> {
	const terminal = openTerminal();
	if (terminal === undefined) return undefined;
	try {
		complainInLines(questionLines(project, files).join("\n"));
		for (;;) {
			await print(2, QUESTION);
			const typed = readLine(terminal);
			if (typed === undefined) await print(2, "\n");
			const answer = typed === undefined ? undefined : answerIn(typed);
			if (answer === "view") complainInLines(viewLines(project, files).join("\n"));
			else if (answer !== "other") return answer === undefined ? undefined : answer === "yes";
		}
	} finally {
		closeSync(terminal);
	}
}

/** Not stdin: a stream of that would take in more than the answer. */
function openTerminal(): number | undefined {
	try {
		return openSync(TERMINAL, "r");
	} catch {
		return undefined; // no terminal controls this process
	}
}

/** A terminal gives a line at a time. The process waits here, and Ctrl-C ends it. */
function readLine(terminal: number): string | undefined {
	const bytes = Buffer.alloc(MAX_ANSWER_BYTES);
	const length = readSync(terminal, bytes, 0, bytes.length, null);
	return length === 0 ? undefined : bytes.toString("utf8", 0, length);
}
