/** Searching sessions by words. Pure. */
import { oneLine } from "../../text/safe/terminal-safe.ts";
import type { Session } from "./session.ts";

/** What words are looked for in, beside the run's id, its name and its task. */
export type MessagesOf = (session: Session) => string;

/** Those in which each word stands somewhere: in the id, the name, the task or what else the person has said. Upper case or lower is the same. */
export function filterSessions(sessions: readonly Session[], words: string, messagesOf: MessagesOf): Session[] {
	const wanted = folded(words)
		.split(" ")
		.filter((word) => word !== "");
	if (wanted.length === 0) return [...sessions];
	return sessions.filter((session) => {
		const { name = "", task } = session.file;
		const known = folded(`${session.run} ${name} ${task}`);
		const left = wanted.filter((word) => !known.includes(word));
		if (left.length === 0) return true;
		const said = folded(messagesOf(session));
		return left.every((word) => said.includes(word));
	});
}

function folded(text: string): string {
	return oneLine(text).normalize("NFKC").toLowerCase();
}
