/** A run whose supervisor is this process. stdout gets the answer, or the format that was asked for. */

import { type Ending, isOver, ROOT } from "../../core/model/agent.ts";
import { type Question, unansweredQuestions } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { keptWorktreeLines } from "../../faces/print/kept-worktrees.ts";
import type { Progress } from "../../faces/print/progress.ts";
import type { OutputFormat } from "../../project/config/output-format.ts";
import { laterLines, type RunsLater } from "../../project/files/runs-later.ts";
import { runDirectory } from "../../record/run-directory.ts";
import type { RunEnd } from "../../supervisor/run-end.ts";
import type { SupervisorHost } from "../../supervisor/run-settings.ts";
import { complain, print } from "../../terminal/print.ts";
import { describeEnding } from "../../text/states.ts";
import { describeAsked } from "../../view/words/question.ts";
import { exitCodeAfter } from "../io/process-io.ts";
import { createResultWriter } from "../result/result-writer.ts";
import { hostSupervisor } from "./host-supervisor.ts";
import { laterLook } from "./later-look.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { printLastWords } from "./print-last-words.ts";
import { runHost } from "./run-host.ts";
import type { StartRequest } from "./start-request.ts";

/** Ends the run as quietly as SIGPIPE ends other programs: `| head -1` has what it wanted. */
export const READER_GONE = { by: "stopped", reason: "nobody reads stdout any more", signal: 13 } as const;

/** Runs to the end and resolves to the root's exit code. `agent tree` does the same when it has no terminal. */
export async function headless(request: StartRequest, progress: Progress): Promise<number> {
	const format = request.outputFormat ?? "text";
	const prepared = await prepareRun(
		request,
		{ rootStdio: format === "text" ? "inherit" : "ignore", face: "none" },
		runHost(),
	);
	return headlessPrepared(prepared, format, progress);
}

export async function headlessPrepared(
	prepared: PreparedRun,
	format: OutputFormat,
	progress: Progress,
): Promise<number> {
	const writer = createResultWriter(format, prepared.settings, (text) => print(1, text));
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
	const look = laterLook(prepared.settings);
	const { supervisor, ended } = await hostSupervisor(prepared, listeners);
	writer.onClosed(() => supervisor.stop(READER_GONE));
	const end = await ended;
	const { run, home, model } = prepared.settings;
	const hasNotPrinted = format === "text" && end.rootFinish === undefined && !isReaderGone(end.ending); // killed, say
	const later = look();
	const written = await writer.end(end, supervisor.run(), { isTold: false, later });
	const printed = hasNotPrinted ? await printLastWords(runDirectory(home, run), model) : written;
	tellEnd(end, supervisor.run(), { isTold: format === "text" && hasToldItsEnding(end, supervisor.run()), later });
	return exitCodeAfter(printed, end.exitCode, prepared.settings.run);
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
	if (end.survivors.length > 0) complain(`agent: still alive, and could not be ended: ${end.survivors.join(", ")}`);
	const isSaid = end.isAbandoned === true; // the line about the bug is out, and says where the stack is
	const isWorthALine = end.ending.by !== "answer" && !isReaderGone(end.ending) && !isSaid;
	if (!isTold && isWorthALine) complain(`agent ${ROOT}: ${describeEnding(end.ending)}`);
}

function unansweredLine({ number, agent, what }: Question, others: number): string {
	const more = others === 0 ? "" : `; nor had ${others} more`;
	return `agent: question ${number} of agent ${agent} had no answer: ${describeAsked(what)}${more}`;
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
