/** The transcript of a living agent until it ends: first all that is recorded, then what happens as it happens. */
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { commandLog } from "../../../core/command.ts";
import { isOver } from "../../../core/model/agent.ts";
import { parseCookie } from "../../../core/run/cookie.ts";
import { Wakes, watchDirectory } from "../../../record/files/follow-lines.ts";
import { readRunFile } from "../../../record/read-run.ts";
import { agentDirectory } from "../../../record/run-directory.ts";
import type { AnswerPiece } from "../../../view/transcript/turns.ts";
import { factRows, standing } from "../agent-header.ts";
import { type Io, warn } from "../io.ts";
import { endingLines } from "../transcript-lines.ts";
import { streamAnswers } from "./answer-stream.ts";
import { printLines, type ShownAgent } from "./shown-agent.ts";
import { TranscriptPrinter } from "./transcript-printer.ts";

const REST_MS = 50; // so that what is written in a rush is read together
const POLL_MS = 250; // some file systems report no change, and what waits for its time is looked at

export async function followTranscript(shown: ShownAgent, io: Io): Promise<void> {
	const { source, agent } = shown;
	const wakes = new Wakes();
	const over = new AbortController();
	const printer = new TranscriptPrinter(shown, io);
	const damaged = (what: string) => warn(io, [what]);
	const following = source.follow({ agent, onEvent: wakes.wake, damaged, signal: io.signal }).finally(() => {
		over.abort();
		wakes.wake();
	});
	following.catch(() => {}); // it is awaited below
	const watchers = watchFiles(shown, wakes.wake);
	const endStream = stream(shown, io, (piece) => {
		printer.piece(piece);
		wakes.wake();
	});
	try {
		await printer.printRecorded();
		while (!over.signal.aborted) {
			if (await printer.step()) wakes.wake();
			watchers.renew();
			await setTimeout(REST_MS);
			await wakes.next(POLL_MS);
		}
		await following;
		while (await printer.step());
		printer.printRest();
		printEnd(shown, io);
	} finally {
		endStream();
		watchers.close();
		printer.close();
	}
}

/** The transcript and the outputs of the agent's commands. `renew`: a directory may not have been there before. */
function watchFiles({ source, agent }: ShownAgent, wake: () => void): { renew: () => void; close: () => void } {
	const own = agentDirectory(source.directory, agent);
	const watched = new Map<string, ReturnType<typeof watchDirectory>>();
	const renew = () => {
		for (const path of [own, join(own, dirname(commandLog(1)))])
			if (watched.get(path) === undefined) watched.set(path, watchDirectory(path, wake));
	};
	renew();
	return { renew, close: () => [...watched.values()].map((watcher) => watcher?.close()) };
}

/** Only for people: in a command of a run the supervisor tells nobody of other agents' answers. */
function stream({ source, agent }: ShownAgent, io: Io, onPiece: (piece: AnswerPiece) => void): () => void {
	if (parseCookie(io.env) !== undefined) return () => {};
	return streamAnswers(readRunFile(source.directory).socket, agent, onPiece);
}

function printEnd({ source, agent, view }: ShownAgent, io: Io): void {
	const { state } = source.snapshot();
	const known = state.agents[agent];
	if (known === undefined) return;
	if (isOver(known)) printLines(io, endingLines(known.state.ending, known.state.at, { view }));
	const facts = standing(state, known, io.now()).filter((fact) => !isOver(known) || !fact.startsWith("state"));
	printLines(io, factRows(facts, io.columns));
}
