/** What a conversation asks the command line to look up, as text for people. */
import { join, resolve } from "node:path";
import type { LookUp } from "../../faces/chat/effect.ts";
import type { Io } from "../../faces/print/io.ts";
import type { CollectedIo } from "../io/collecting-io.ts";
import type { TalkRun } from "./talk-run.ts";

/** Of a longer text the end is shown. */
const MOST_LINES = 400;

/** Other commands of the program, which print what they tell. */
export interface ListingCommands {
	/** `ref`: a run. */
	readonly ps: (ref: string, io: Io) => unknown;
	/** Conversations in which the words stand. */
	readonly ls: (words: string, io: Io) => unknown;
	/** `ref`: an agent of a run. */
	readonly show: (ref: string, io: Io) => unknown;
}

/** `begun`: the run; throws before the first message. Rejects with AgentreeError. */
export async function lookUp(
	what: LookUp,
	begun: () => TalkRun,
	{ commands, io, home }: { commands: ListingCommands; io: CollectedIo; home: string },
): Promise<string> {
	if (what.is === "sessions") {
		await commands.ls(what.words, io.io);
		return io.text().replace(/^agent: /gm, "");
	}
	const run = begun();
	switch (what.is) {
		case "ps":
			await commands.ps(run.run, io.io);
			return io.text();
		case "show":
			await commands.show(`${run.run}/${what.agent}`, io.io);
			return endOf(io.text(), `agent show ${run.run}/${what.agent}`);
		case "diff":
			return (await import("./talk-undo.ts")).changesSinceBegin(run, { env: io.io.env, home });
		case "export":
			return exported(run, what.file, io);
	}
}

function endOf(text: string, whole: string): string {
	const lines = text.split("\n");
	if (lines.length <= MOST_LINES) return text;
	return [`… ${lines.length - MOST_LINES} earlier lines: ${whole}`, ...lines.slice(-MOST_LINES)].join("\n");
}

async function exported({ run, cwd }: TalkRun, file: string, { io, text }: CollectedIo): Promise<string> {
	const { exportRun } = await import("../export/export-run.ts");
	const path = file === "" ? join(cwd, `agentree-${run}.html`) : resolve(cwd, file);
	const format = path.endsWith(".json") ? "atif" : "html";
	await exportRun({ ref: run, asked: [{ format, path }], mayReplace: false }, io);
	return text().replace(/^agent: /gm, "");
}
