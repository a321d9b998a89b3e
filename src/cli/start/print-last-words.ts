/** Prints the answer, or what there is of one, of a root that printed into nothing, or died before it had printed. */
import { ROOT } from "../../core/agent.ts";
import { jsonOfAnswer } from "../../core/json-answer.ts";
import { textOf } from "../../core/message.ts";
import { factsOf } from "../../models/catalogue.ts";
import { openRegularWithin } from "../../processes/open-within.ts";
import { forEachEntry } from "../../store/read-events.ts";
import { readableAgentFile } from "../../store/read-run.ts";
import { agentDirectory } from "../../store/run-directory.ts";
import { type Printed, printAnswer, printable, printFile } from "../../terminal/print.ts";

/** The root's newest text: its answer, or what there is of one; for a model that answers bytes those that its command printed. */
export function printLastWords(directory: string, model: string): Promise<Printed> {
	const { text, log } = lastWordsIn(directory);
	const { jsonSchema, ending } = readableAgentFile(directory, ROOT) ?? {};
	if (jsonSchema !== undefined) return printAnswer(1, ending?.by === "answer" ? printable(jsonOfAnswer(text)) : "");
	if (factsOf(model).answersBytes && log !== undefined)
		return printFile(1, () => openRegularWithin(agentDirectory(directory, ROOT), log));
	return printAnswer(1, printable(text));
}

/** `log`: the output file of the newest command. */
export function lastWordsIn(directory: string): { text: string; log: string | undefined } {
	let text = "";
	let log: string | undefined;
	forEachEntry(directory, ROOT, (entry) => {
		if (entry.role === "assistant") text = textOf(entry.content) || text;
		if (entry.role === "note" && entry.note === "call") text = entry.partial || text; // of an answer that never came whole
		if (entry.role === "user") log = entry.commands?.at(-1)?.log ?? log;
	});
	return { text, log };
}
