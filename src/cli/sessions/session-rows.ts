/** Sessions as rows of a list, from which a person chooses one. Pure. */

import { alignColumns, type Column } from "../../faces/print/columns.ts";
import type { Paint, Tone } from "../../faces/print/paint.ts";
import { formatAge } from "../../text/durations.ts";
import { formatCost } from "../../text/money.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { fitEnd } from "../../text/width/fit-end.ts";
import type { MessagesOf } from "./filter-sessions.ts";
import { runTitle } from "./run-title.ts";
import type { Session, SessionState } from "./session.ts";

export interface SessionsView {
	readonly now: number;
	/** The width of the terminal; undefined: no line is cut. */
	readonly columns: number | undefined;
	/** What the runs are called; absent: by their ids. */
	readonly names?: ReadonlyMap<string, string> | undefined;
	/** Their directories are shown: they are of several. */
	readonly hasDirectories: boolean;
	/** For a session that was begun without a task. */
	readonly messagesOf: MessagesOf;
}

const MOST_WHERE_COLUMNS = 32;
const NARROW = 50;
const WIDE = 70;

const STATES: Readonly<Record<SessionState, readonly [words: string, tone: Tone | undefined]>> = {
	alive: ["alive", "busy"],
	waiting: ["waiting for you", "strong"],
	answered: ["answered", undefined],
	interrupted: ["interrupted", "warn"],
	limit: ["at a limit", "warn"],
	failed: ["failed", "bad"],
};

export interface SessionRows {
	/** What stands above the lines. */
	readonly header: string;
	readonly rows: readonly { readonly session: Session; readonly line: string }[];
}

/** A picker, which marks the chosen one by itself, takes them without colours: `PLAIN`. */
export function sessionRows(
	sessions: readonly Session[],
	{ paint, ...view }: SessionsView & { paint: Paint },
): SessionRows {
	const { header, lines } = alignColumns(sessionColumns(view), sessions, { paint, columns: view.columns });
	return { header, rows: sessions.map((session, at) => ({ session, line: lines[at] ?? "" })) };
}

/** What a session is called in lists: its name, its task, or what was said first. In one line. */
function titleOf(session: Session, messagesOf: MessagesOf): string {
	return runTitle(session.file) || firstLine(messagesOf(session));
}

function sessionColumns({ now, names, hasDirectories, messagesOf }: SessionsView): Column<Session>[] {
	const where: Column<Session> = {
		...{ head: "WHERE", from: WIDE },
		cell: ({ file }) => ({ text: fitEnd(oneLine(file.cwd), MOST_WHERE_COLUMNS), tone: "dim" }),
	};
	return [
		{ head: "RUN", cell: ({ run }) => ({ text: oneLine(names?.get(run) ?? run), tone: "strong" }) },
		{ head: "AGE", toRight: true, cell: ({ usedAt }) => ({ text: formatAge(now - usedAt) }) },
		{
			head: "STATE",
			cell: ({ state }) => {
				const [text, tone] = STATES[state];
				return { text, tone };
			},
		},
		{ head: "TURNS", toRight: true, from: NARROW, cell: ({ totals }) => ({ text: String(totals.turns ?? "?") }) },
		{ head: "COST", toRight: true, from: NARROW, cell: ({ totals }) => ({ text: formatCost(totals.costUsd ?? null) }) },
		...(hasDirectories ? [where] : []),
		{ head: "TASK", cell: (session) => ({ text: titleOf(session, messagesOf) }) },
	];
}
