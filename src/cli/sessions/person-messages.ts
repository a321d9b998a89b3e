/** What a person said in a conversation, one message after the other. */
import { ROOT } from "../../core/model/agent.ts";
import { alsoSaidIn, INTERRUPTION, isOfPlace } from "../../core/model/placeholder-texts.ts";
import { messageIn } from "../../core/model/told-message.ts";
import type { UserEntry } from "../../core/model/transcript.ts";
import { jsonLines } from "../../record/files/json-lines.ts";
import { asEntry } from "../../record/read-events.ts";
import { transcriptPath } from "../../record/run-directory.ts";

export interface PersonMessage {
	readonly text: string;
	readonly at: number;
	/** Of the root's transcript, counted from 1. */
	readonly line: number;
	/** The number of the root's newest answer before it; 0 when there is none. */
	readonly turn: number;
	/** The message follows an answer that asked for nothing more. */
	readonly isNext: boolean;
}

/** From the root's transcript, in order; the first is the task. */
export function* personMessages(directory: string): Generator<PersonMessage> {
	let turn = 0;
	let isNext = false;
	for (const { line, ...read } of jsonLines(transcriptPath(directory, ROOT))) {
		const entry = read.is === "value" ? asEntry(read.value) : undefined;
		if (entry?.role === "assistant") {
			turn = entry.turn;
			isNext = !entry.content.some(({ type }) => type === "tool_use");
		}
		if (entry?.role !== "user") continue;
		const text = saidByPerson(entry).join("\n\n");
		if (text !== "") yield { text, at: entry.at, line, turn, isNext };
		isNext = false;
	}
}

/** What the person says in it: not the results of commands, and not what agentree says by itself or another agent. */
export function saidByPerson({ content, from }: UserEntry): string[] {
	if (from !== undefined && from !== "person") return [];
	return content.flatMap((block) => {
		if (block.type !== "text") return [];
		const said = messageIn(block.text)?.body ?? block.text;
		if (isOfPlace(said)) return [];
		return said.startsWith(INTERRUPTION) ? [alsoSaidIn(said) ?? []].flat() : [said];
	});
}
