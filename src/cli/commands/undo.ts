/** `agent undo`: puts the files of a conversation back to what they were before a message. */

import { AgentreeError, EXIT } from "../../core/errors.ts";
import { isOver } from "../../core/model/agent.ts";
import { agentsInOrder } from "../../core/run/run-state.ts";
import type { Io } from "../../faces/print/io.ts";
import { describeLeft, type Left } from "../../project/undo/plan-put-back.ts";
import { shownPath } from "../../project/undo/tree-paths.ts";
import { type FoundRun, newestRuns } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { findRunFor, stateDirectoryFor } from "../io/find-run.ts";
import { refuseInside } from "../io/inside-run.ts";
import { type PrintingCommand, paintOf, printJson } from "../io/process-io.ts";
import { isOfDirectory } from "../sessions/session.ts";
import { keptStates, type RunUndo, runUndo } from "../undo/run-undo.ts";
import { doneLines, stateLines, undoLines } from "../undo/undo-lines.ts";

export const undo: PrintingCommand = async ([ref], { yes, to, list, json }, io) => {
	refuseInside("agents cannot use agent undo: it would undo the work of other agents");
	const state = numberOf(to);
	const home = stateDirectoryFor(io);
	const run = (ref === undefined ? newestKept(home, io.cwd) : undefined) ?? findRunFor(io, home, ref);
	if (list) return listStates(run.directory, json, io);
	const host = { env: io.env, home, now: io.now, here: io.cwd, signal: io.signal };
	const found = await runUndo(run.directory, state, host);
	if (found.is === "undo") return yes ? putBack(run, { found, json }, io) : show(run, { found, json, to: state }, io);
	const { reason, hasFailed } = found;
	if (json) printJson(io, { run: run.run, is: "nothing", reason });
	else io.stderr(`agent: ${hasFailed ? "nothing can be undone" : "nothing to undo"} in run ${run.run}: ${reason}\n`);
	return hasFailed ? EXIT.failure : 0;
};

/** The newest run of the directory of which states were kept. */
function newestKept(home: string, cwd: string): FoundRun | undefined {
	const isHere = isOfDirectory(cwd);
	for (const { run, directory, file } of newestRuns(home))
		if (isHere(file) && keptStates(directory).length > 0) return { run, directory };
	return undefined;
}

interface Found {
	readonly found: Extract<RunUndo, { is: "undo" }>;
	readonly json: unknown;
}

function show({ run }: FoundRun, { found, json, to }: Found & { to: number | undefined }, io: Io): number {
	if (json) {
		const { state, changes, top } = found;
		const changed = changes.changes.map(({ path, ...rest }) => ({ path: shownPath(path), ...rest }));
		printJson(io, { run, is: "undo", state: state.id, at: state.at, top, changes: changed, ...leftOf(changes) });
		return 0;
	}
	io.stdout(`${undoLines(found, { paint: paintOf(io), now: io.now(), columns: io.columns }).join("\n")}\n`);
	io.stderr(
		`agent: nothing restored yet; to restore: agent undo ${run}${to === undefined ? "" : ` --to ${to}`} --yes\n`,
	);
	return 0;
}

async function putBack({ run, directory }: FoundRun, { found, json }: Found, io: Io): Promise<number> {
	const { state } = new RecordedRun(directory).snapshot();
	const busy = agentsInOrder(state).find((agent) => !isOver(agent) && agent.state.is !== "listening");
	if (busy !== undefined)
		throw new AgentreeError(
			"refused",
			`agent ${busy.id} of run ${run} is working: stop it first (agent stop ${run}/${busy.id})`,
		);
	const { done, before } = await found.putBack();
	const [written, removed] = [done.written.map(shownPath), done.removed.map(shownPath)];
	if (json)
		printJson(io, { run, is: "done", state: found.state.id, before: before.id, written, removed, ...leftOf(done) });
	else io.stdout(`${doneLines(done, before, "agent undo --to").join("\n")}\n`);
	if (state.isConversation) io.stderr("agent: the agent will be told with your next message\n");
	return done.left.length === 0 ? 0 : 1;
}

function leftOf({ left }: { readonly left: readonly Left[] }) {
	return { left: left.map(({ path, because }) => ({ path: shownPath(path), because: describeLeft(because) })) };
}

function listStates(directory: string, json: unknown, io: Io): number {
	const states = keptStates(directory);
	const asJson = () => states.map(({ id, at, why }) => ({ state: id, at, why }));
	if (json) printJson(io, asJson());
	else if (states.length > 0) io.stdout(`${stateLines(states, io.columns).join("\n")}\n`);
	else io.stderr("agent: no saved states\n");
	return 0;
}

function numberOf(to: string | boolean | undefined): number | undefined {
	if (to === undefined || typeof to === "boolean") return undefined;
	if (/^[1-9]\d{0,8}$/.test(to)) return Number(to);
	throw new AgentreeError("usage", `--to ${to}: no such saved state; see agent undo --list`);
}
