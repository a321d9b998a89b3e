/** A run whose supervisor is this process. stdout gets the answer, or the format that was asked for. */

import { type Ending, isOver, ROOT } from "../../core/model/agent.ts";
import { type Question, unansweredQuestions } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { keptWorktreeLines } from "../../faces/print/kept-worktrees.ts";
import { PAINT_SEQUENCES, paintFor } from "../../faces/print/paint.ts";
import { createProgress, type Progress, type ProgressLevel } from "../../faces/print/progress.ts";
import { WaitingNotices } from "../../faces/print/waiting-notices.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import type { OutputFormat } from "../../project/config/option-table.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { laterLines, type RunsLater } from "../../project/undo/runs-later.ts";
import { runDirectory } from "../../record/run-directory.ts";
import type { HeldRoot } from "../../supervisor/processes/start-processes.ts";
import type { SupervisorHost } from "../../supervisor/run/run-core.ts";
import type { RunEnd } from "../../supervisor/run-end.ts";
import { complain, complainPainted, print } from "../../terminal/print.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { describeAsked } from "../../view/words/question.ts";
import type { SuperviseOrder } from "../../wire/supervise-order.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { printLastWords } from "../result/last-words.ts";
import { createResultWriter } from "../result/result-writer.ts";
import { hostSupervisor } from "./host-supervisor.ts";
import { laterLook } from "./later-look.ts";

/** Ends the run as quietly as SIGPIPE ends other programs: `| head -1` has what it wanted. */
export const READER_GONE = { by: "stopped", reason: "stdout was closed by its reader", signal: 13 } as const;

interface Shown {
	readonly format: OutputFormat;
	readonly progress: Progress;
	readonly heldRoot?: HeldRoot | undefined;
}

/** Runs to the end and resolves to the exit code of the root. */
export async function headless(order: SuperviseOrder, { format, progress, heldRoot }: Shown): Promise<number> {
	const writer = createResultWriter(format, order.settings, (text) => print(1, text));
	const listeners: Pick<SupervisorHost, "onEvent" | "onRecord" | "onDelta"> = {
		onEvent: (event, run) => {
			progress.onEvent(event, run);
			writer.onEvent(event, run);
		},
		onRecord: (agent, entry) => {
			progress.onRecord(agent, entry);
			writer.onRecord(agent, entry);
		},
		onDelta: writer.onDelta,
	};
	const look = laterLook(order.settings);
	const { supervisor, ended } = await hostSupervisor(order, { ...listeners, heldRoot });
	writer.onClosed(() => supervisor.stop(READER_GONE));
	const end = await ended;
	const { run, home, model } = order.settings;
	const hasNotPrinted = format === "text" && end.rootFinish === undefined && !isReaderGone(end.ending); // killed, say
	const later = look();
	const written = await writer.end(end, supervisor.run(), { isTold: false, later });
	const printed = hasNotPrinted ? await printLastWords(runDirectory(home, run), model) : written;
	tellEnd(end, supervisor.run(), { isTold: format === "text" && hasToldItsEnding(end, supervisor.run()), later });
	return exitCodeAfter(printed, end.exitCode, order.settings.run);
}

/** What a run leaves, and how it ended, if that is no answer and not `isTold`: on stderr. */
export function tellEnd(
	end: RunEnd,
	run: RunState,
	{ isTold, later }: { isTold: boolean; later: readonly RunsLater[] },
): void {
	if (end.leftRunning !== undefined && end.leftRunning.length > 0)
		complain(`agent: left running: ${end.leftRunning.map(({ pid, name }) => `${pid} (${name})`).join(", ")}`);
	for (const line of [...keptWorktreeLines(run), ...laterLines(later)]) complain(line);
	const [unanswered, ...others] = unansweredQuestions(run);
	if (unanswered !== undefined && !isReaderGone(end.ending)) complain(unansweredLine(unanswered, others.length));
	if (end.survivors.length > 0) complain(`agent: could not stop these processes: ${end.survivors.join(", ")}`);
	const isSaid = end.isAbandoned === true; // the line about the bug is out, and says where the stack is
	const isWorthALine = end.ending.by !== "answer" && !isReaderGone(end.ending) && !isSaid;
	if (!isTold && isWorthALine) complain(`agent ${ROOT}: ${describeEnding(end.ending)}`);
}

function unansweredLine({ number, agent, what }: Question, others: number): string {
	const more = others === 0 ? "" : `, and ${others} more`;
	return `agent: question ${number} of agent ${agent} was not answered: ${describeAsked(what)}${more}`;
}

/** Not a root that had answered, and was ended while nobody read the answer: it took that for its ending. */
function hasToldItsEnding({ rootFinish }: RunEnd, { agents }: RunState): boolean {
	const root = agents[ROOT];
	const isAnswer = root !== undefined && isOver(root) && root.state.ending.by === "answer";
	return rootFinish !== undefined && !isAnswer;
}

function isReaderGone(ending: Ending): boolean {
	return ending.by === "stopped" && ending.signal === READER_GONE.signal;
}

type Asked = Pick<RunRequest, "isQuiet" | "isVerbose">;

/** Of `agent run`: on a terminal what matters, elsewhere only that it takes long. */
export function progressFor(asked: Asked): Progress {
	return stderrProgress(asked, process.stderr.isTTY === true ? "main" : "trouble");
}

/** Of `agent tree` without a screen, and of `agent demo`: what matters, wherever it goes. */
export function treeProgress(asked: Asked): Progress {
	return stderrProgress(asked, "main");
}

function stderrProgress({ isQuiet, isVerbose }: Asked, usual: ProgressLevel): Progress {
	const { stderr, env } = process;
	const isTTY = stderr.isTTY === true;
	const view = { paint: paintFor(undefined, isTTY, env.NO_COLOR), columns: () => (isTTY ? stderr.columns : undefined) };
	const level = isQuiet ? "none" : isVerbose ? "all" : usual;
	const progress = createProgress(level, (line) => complainPainted(line, PAINT_SEQUENCES), view);
	const waiting = new WaitingNotices(SYSTEM_CLOCK, complain); // also with --quiet: a run that waits unheard would seem to hang
	return {
		onEvent: (event, run) => {
			progress.onEvent(event, run);
			waiting.onEvent(event, run.run);
		},
		onRecord: progress.onRecord,
	};
}
