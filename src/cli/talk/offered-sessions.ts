/** The conversations that a person may choose from, as rows of a list. */
import type { FoundSessions } from "../../chat/chat-state.ts";
import { namesOfRuns } from "../../core/run-id.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { listRuns } from "../../store/read-run.ts";
import { filterSessions } from "../sessions/filter-sessions.ts";
import { firstMessages } from "../sessions/first-messages.ts";
import { listSessions } from "../sessions/list-sessions.ts";
import { lookedAt } from "../sessions/session.ts";
import { sessionRows } from "../sessions/session-rows.ts";
import { PLAIN } from "../text/paint.ts";

const MOST = 100;
const MARGIN = 3; // beside a row stands what marks the chosen one

export interface Offered {
	/** The state directory. */
	readonly home: string;
	readonly directory: string;
	readonly columns: number;
	/** The run that the person is in. */
	readonly except: string | undefined;
}

/** Those of the directory, the last used first; where the words stand in none of them, those of other directories. */
export function offeredSessions(words: string, { home, directory, columns, except }: Offered): FoundSessions {
	const of = (cwd: string | undefined) =>
		filterSessions(listSessions(home, cwd), words, firstMessages).filter(({ run }) => run !== except);
	const here = of(directory);
	const hasDirectories = here.length === 0 && words !== "";
	const sessions = (hasDirectories ? of(undefined) : here).slice(0, MOST);
	const { header, rows } = sessionRows(sessions.map(lookedAt), {
		...{ now: SYSTEM_CLOCK.now(), columns: Math.max(1, columns - MARGIN), hasDirectories, paint: PLAIN },
		messagesOf: firstMessages,
		names: namesOfRuns(listRuns(home)),
	});
	return { header, rows: rows.map(({ session, line }) => ({ run: session.run, line })) };
}
