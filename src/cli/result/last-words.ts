/** Prints the answer, or what there is of one, of a root that printed into nothing, or died before it had printed. */

import { ROOT } from "../../core/model/agent.ts";
import { jsonOfAnswer, jsonValuesIn } from "../../core/model/json-answer.ts";
import { textOf } from "../../core/model/message.ts";
import { factsOf } from "../../models/catalogue.ts";
import { openRegularWithin } from "../../processes/open-within.ts";
import { forEachEntry } from "../../record/read-events.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { agentDirectory } from "../../record/run-directory.ts";
import { type Printed, printAnswer, printable, printFile } from "../../terminal/print.ts";

/** The agent's newest text: its answer, or what there is of one; for a model that answers bytes those that its command printed. */
export async function printLastWords(directory: string, model: string, agent = ROOT): Promise<Printed> {
	const { jsonSchema, ending } = readableAgentFile(directory, agent) ?? {};
	const { text, log } = await lastWordsIn(directory, agent);
	if (jsonSchema !== undefined) return printAnswer(1, ending?.by === "answer" ? printable(text) : "");
	if (factsOf(model).answersBytes && log !== undefined)
		return printFile(1, () => openRegularWithin(agentDirectory(directory, agent), log));
	return printAnswer(1, printable(text));
}

/** `text`: of an answer that has to be JSON that alone. `log`: the output file of the newest command. */
export async function lastWordsIn(directory: string, agent = ROOT): Promise<{ text: string; log: string | undefined }> {
	let text = "";
	let log: string | undefined;
	forEachEntry(directory, agent, (entry) => {
		if (entry.role === "assistant") text = textOf(entry.content) || text;
		if (entry.role === "note" && entry.note === "call") text = entry.partial || text; // of an answer that never came whole
		if (entry.role === "user") log = entry.commands?.at(-1)?.log ?? log;
	});
	const { jsonSchema, ending } = readableAgentFile(directory, agent) ?? {};
	const isJson = jsonSchema !== undefined && ending?.by === "answer";
	return { text: isJson ? await fittingJson(text, jsonSchema) : text, log };
}

/** The value between the words of an answer that its agent has taken for it. A schema is compiled only where there are several. */
async function fittingJson(text: string, schema: string): Promise<string> {
	if (jsonValuesIn(text).length < 2) return jsonOfAnswer(text);
	const { answerChecker } = await import("../../supervisor/conversations/answer-schema.ts");
	const checked = answerChecker(schema, "--json-schema")(text);
	return checked.is === "fits" ? checked.text : jsonOfAnswer(text);
}
