/** `agent undo`: puts the files of a conversation back to what they were before a message. */
import { AgentreeError, EXIT } from "../../core/errors.ts";
import { isOver } from "../../core/model/agent.ts";
import { agentsInOrder } from "../../core/run/run-state.ts";
import type { Io } from "../../faces/print/io.ts";
import { paintFor } from "../../faces/print/paint.ts";
import type { Command } from "../../project/config/command-table.ts";
import { describeLeft } from "../../project/files/plan-put-back.ts";
import { shownPath } from "../../project/files/tree-paths.ts";
import { type FoundRun, newestRuns } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { findRunFor, stateDirectoryFor } from "../io/find-run.ts";
import { withProcessIo } from "../io/process-io.ts";
import { isOfDirectory } from "../sessions/session.ts";
import { isInside } from "../stop/end-unanswered.ts";
import { keptStates, type RunUndo, runUndo } from "../undo/run-undo.ts";
import { doneLines, stateLines, undoLines } from "../undo/undo-lines.ts";

export const command: Command = ([ref], { yes, to, list, json }) =>
	withProcessIo((io) =>
		undo({ ref, isSure: yes === true, to: numberOf(to), isList: list === true, json: json === true }, io),
	);

interface UndoOptions {
	readonly ref: string | undefined;
	readonly isSure: boolean;
	readonly to: number | undefined;
	readonly isList: boolean;
	readonly json: boolean;
}

async function undo({ ref, isSure, to, isList, json }: UndoOptions, io: Io): Promise<number> {
	if (isInside(io))
		throw new AgentreeError("refused", "agents cannot use agent undo: it would undo the work of other agents");
	const home = stateDirectoryFor(io);
	const { run, directory } = (ref === undefined ? newestKept(home, io.cwd) : undefined) ?? findRunFor(io, home, ref);
	if (isList) return list(directory, json, io);
	const found = await runUndo(directory, to, { env: io.env, home, now: io.now, here: io.cwd, signal: io.signal });
	if (found.is === "nothing") {
		if (json) io.stdout(`${safeJson({ run, is: "nothing", reason: found.reason }, "\t")}\n`);
		else
			io.stderr(
				`agent: ${found.hasFailed ? "nothing can be undone" : "nothing to undo"} in run ${run}: ${found.reason}\n`,
			);
		return found.hasFailed ? EXIT.failure : 0;
	}
	return isSure ? putBack(run, directory, { found, json }, io) : show(run, { found, json }, io);
}

/** The newest run of the directory of which states were kept. */
function newestKept(home: string, cwd: string): FoundRun | undefined {
	const isHere = isOfDirectory(cwd);
	for (const { run, directory, file } of newestRuns(home))
		if (isHere(file) && keptStates(directory).length > 0) return { run, directory };
	return undefined;
}

type Found = Extract<RunUndo, { is: "undo" }>;

function show(run: string, { found, json }: { found: Found; json: boolean }, io: Io): number {
	if (json) {
		const { state, changes, top } = found;
		const changed = changes.changes.map(({ path, ...rest }) => ({ path: shownPath(path), ...rest }));
		io.stdout(
			`${safeJson({ run, is: "undo", state: state.id, at: state.at, top, changes: changed, ...leftOf(changes) }, "\t")}\n`,
		);
		return 0;
	}
	const view = { paint: paintFor(undefined, io.isTTY, io.env.NO_COLOR), now: io.now(), columns: io.columns };
	io.stdout(`${undoLines(found, view).join("\n")}\n`);
	io.stderr(`agent: nothing restored yet; to restore: agent undo ${run} --yes\n`);
	return 0;
}

async function putBack(
	run: string,
	directory: string,
	{ found, json }: { found: Found; json: boolean },
	io: Io,
): Promise<number> {
	const { state } = new RecordedRun(directory).snapshot();
	const busy = agentsInOrder(state).find((agent) => !isOver(agent) && agent.state.is !== "listening");
	if (busy !== undefined)
		throw new AgentreeError(
			"refused",
			`agent ${busy.id} of run ${run} is working: stop it first (agent stop ${run}/${busy.id})`,
		);
	const { done, before } = await found.putBack();
	if (json) {
		const [written, removed] = [done.written.map(shownPath), done.removed.map(shownPath)];
		io.stdout(
			`${safeJson({ run, is: "done", state: found.state.id, before: before.id, written, removed, ...leftOf(done) }, "\t")}\n`,
		);
	} else io.stdout(`${doneLines(done, before, "agent undo --to").join("\n")}\n`);
	if (state.isConversation) io.stderr("agent: the agent will be told with your next message\n");
	return done.left.length === 0 ? 0 : 1;
}

function leftOf({ left }: Pick<Found["changes"], "left">) {
	return { left: left.map(({ path, because }) => ({ path: shownPath(path), because: describeLeft(because) })) };
}

function list(directory: string, json: boolean, io: Io): number {
	const states = keptStates(directory);
	if (json)
		io.stdout(
			`${safeJson(
				states.map(({ id, at, why }) => ({ state: id, at, why })),
				"\t",
			)}\n`,
		);
	else if (states.length > 0) io.stdout(`${stateLines(states, io.columns).join("\n")}\n`);
	else io.stderr("agent: no saved states\n");
	return 0;
}

function numberOf(to: string | boolean | undefined): number | undefined {
	if (to === undefined || typeof to === "boolean") return undefined;
	if (/^[1-9]\d{0,8}$/.test(to)) return Number(to);
	throw new AgentreeError("usage", `--to ${to}: no such saved state; see agent undo --list`);
}
