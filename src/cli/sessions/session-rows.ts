/** Sessions as rows of a list, runs to be removed with their sizes, and sessions as programs read them. Pure. */

import { formatBytes } from "../../core/bytes.ts";
import type { Paint, Tone } from "../../faces/print/paint.ts";
import { alignColumns, type Column } from "../../faces/print/rows.ts";
import type { TreeSize } from "../../record/files/remove-tree.ts";
import { formatAge } from "../../text/durations.ts";
import { formatCost } from "../../text/numbers.ts";
import { firstLine, oneLine } from "../../text/safe/terminal-safe.ts";
import { fitEnd } from "../../text/width/width.ts";
import { type MessagesOf, runTitle, type Session, type SessionState } from "./session.ts";

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

/** A picker, which marks the chosen one by itself, takes them without colors: `PLAIN`. */
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

export interface SizedRun {
	readonly run: string;
	readonly session: Pick<Session, "file" | "usedAt"> | undefined;
	readonly size: TreeSize;
}

/** What is shown before runs are removed: each with its size, and the sum. */
export function removalLines(
	runs: readonly SizedRun[],
	{ now, columns, paint }: { now: number; columns: number | undefined; paint: Paint },
): string[] {
	const of: Column<SizedRun>[] = [
		{ head: "RUN", cell: ({ run }) => ({ text: oneLine(run), tone: "strong" }) },
		{ head: "AGE", toRight: true, cell: ({ session }) => ({ text: session ? formatAge(now - session.usedAt) : "?" }) },
		{ head: "SIZE", toRight: true, cell: ({ size }) => ({ text: sizeWords(size) }) },
		{ head: "TASK", cell: ({ session }) => ({ text: session ? runTitle(session.file) : "" }) },
	];
	const { header, lines } = alignColumns(of, runs, { paint, columns });
	const bytes = runs.reduce((sum, { size }) => sum + size.bytes, 0);
	const isWhole = runs.every(({ size }) => size.isWhole);
	const count = runs.length === 1 ? "1 run" : `${runs.length} runs`;
	return [header, ...lines, `${count}: ${sizeWords({ bytes, isWhole })}`];
}

/** `12 KiB`, `12 KiB+` where not all could be looked at. */
export function sizeWords({ bytes, isWhole }: TreeSize): string {
	return `${formatBytes(bytes)}${isWhole ? "" : "+"}`;
}

/** The keys are part of the interface (docs/files.md): never renamed. A value that is not known is null, never absent. Times are milliseconds since the epoch. */
export function sessionAsJson({ run, file, state, usedAt, totals }: Session): object {
	return {
		run,
		state,
		name: file.name ?? null,
		task: file.task,
		cwd: file.cwd,
		model: file.model,
		is_conversation: file.isConversation === true,
		forked_from: file.forkedFrom ?? null,
		started_at: file.startedAt,
		used_at: usedAt,
		agent_count: totals.agents ?? null,
		turns: totals.turns ?? null,
		cost_usd: totals.costUsd ?? null,
	};
}
