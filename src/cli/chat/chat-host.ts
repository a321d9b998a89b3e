/** What the command line does for a conversation on a terminal. */
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentreeError } from "../../core/errors.ts";
import { type AgentId, ROOT } from "../../core/model/agent.ts";
import { textOf } from "../../core/model/message.ts";
import { namesOfRuns } from "../../core/run/run-id.ts";
import type { ChatHost } from "../../faces/chat/chat-host.ts";
import type { Choice, FoundSessions, LookUp } from "../../faces/chat/chat-state.ts";
import type { UndoFound } from "../../faces/chat/questions.ts";
import type { Io } from "../../faces/print/io.ts";
import { PLAIN } from "../../faces/print/paint.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { repositoryAround } from "../../project/repository-around.ts";
import { linkToRun } from "../../record/living-run.ts";
import { forEachEntry } from "../../record/read-events.ts";
import { listRuns } from "../../record/read-run.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { divertComplaints } from "../../terminal/print.ts";
import { collectingIo } from "../io/process-io.ts";
import { filterSessions, firstMessages, listSessions, lookedAt } from "../sessions/session.ts";
import { sessionRows } from "../sessions/session-rows.ts";
import type { ChatRun } from "./chat-run.ts";
import type { ChatUndo } from "./chat-undo.ts";

const BRANCH_MS = 2_000;
const MOST_BEGIN_MS = 5_000;
const MOST_SESSIONS = 100;
const MARGIN = 3; // beside a row of the list stands what marks the chosen one

/** Other commands of the program, which print what they find. `ref`: a run, or an agent of one. */
export interface ChatCommands {
	readonly ps: (ref: string, io: Io) => unknown;
	/** Conversations in which the words stand. */
	readonly ls: (words: string, io: Io) => unknown;
	readonly show: (ref: string, io: Io) => unknown;
	/** Ends a run as `agent stop` does, and says how; resolves to its exit code. */
	readonly stop: (ref: string) => Promise<number>;
}

interface CliChatHostOptions {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The state directory. */
	readonly home: string;
	readonly directory: string;
	readonly commands: ChatCommands;
	/** Rejects with AgentreeError when the model of the conversation cannot be called. */
	readonly check: () => Promise<unknown>;
	readonly begin: (message: string, choice: Choice) => Promise<ChatRun>;
	readonly notify: ((text: string) => void) | undefined;
}

export class CliChatHost implements ChatHost {
	readonly #options: CliChatHostOptions;
	#branch: string | undefined;
	#branchAt = Number.NEGATIVE_INFINITY;
	#run: ChatRun | undefined;
	#beginning: Promise<ChatRun> | undefined;
	#undoing: ChatUndo | undefined;

	/** `run`: of a conversation that has begun. */
	constructor(options: CliChatHostOptions, run: ChatRun | undefined) {
		this.#options = options;
		this.#run = run;
	}

	get run(): ChatRun | undefined {
		return this.#run;
	}

	async obstacle(): Promise<string | undefined> {
		try {
			await this.#options.check();
			return undefined;
		} catch (error) {
			if (error instanceof AgentreeError) return error.message;
			throw error;
		}
	}

	begin(message: string, choice: Choice): Promise<ChatRun> {
		this.#beginning = this.#begin(message, choice);
		return this.#beginning;
	}

	/** Ends a run that was just being started when a signal ended its conversation. */
	async abandon(signal: number): Promise<void> {
		const began = this.#beginning?.catch(() => undefined);
		const run = await Promise.race([began, sleep(MOST_BEGIN_MS, undefined)]);
		const reason = "the chat was ended by a signal";
		run?.link.send({ say: "stop_agent", agent: ROOT, reason, signal, isHurry: false });
	}

	async #begin(message: string, choice: Choice): Promise<ChatRun> {
		const notices: string[] = [];
		const stop = divertComplaints((line) => notices.push(line));
		try {
			this.#run = { ...(await this.#options.begin(message, choice)), notices };
			return this.#run;
		} finally {
			stop();
		}
	}

	async showTree(selected: AgentId): Promise<void> {
		if (this.#run === undefined) return;
		const { directory } = this.#run;
		const { env } = this.#options;
		const { showDashboard } = await import("../../faces/dashboard/show-dashboard.ts");
		const record = new RecordedRun(directory);
		const connection = await linkToRun(record, { uid: process.getuid?.() ?? 0, warn: () => {} });
		try {
			await showDashboard({
				...{ record, connection, isAttached: true, isOverConversation: true, selected },
				...{ input: process.stdin, output: process.stdout, env, now: SYSTEM_CLOCK.now },
			});
		} finally {
			connection.close();
		}
	}

	async lookUp(what: LookUp, columns: number): Promise<string> {
		const { env, home, commands } = this.#options;
		const { io, text } = collectingIo({ env, now: SYSTEM_CLOCK.now }, columns);
		if (what.is === "sessions") {
			await commands.ls(what.words, io);
			return text().replace(/^agent: /gm, "");
		}
		const begun = this.#begun();
		const { run } = begun;
		switch (what.is) {
			case "ps":
				await commands.ps(run, io);
				return text();
			case "show":
				await commands.show(`${run}/${what.agent}`, io);
				return endOf(text(), `agent show ${run}/${what.agent}`);
			case "diff":
				return (await import("./chat-undo.ts")).changesSinceBegin(begun, { env, home });
			case "export": {
				const { exportRun } = await import("../export/export-run.ts");
				const path = what.file === "" ? join(begun.cwd, `agentree-${run}.html`) : resolve(begun.cwd, what.file);
				const format = path.endsWith(".json") ? "atif" : "html";
				await exportRun({ ref: run, asked: [{ format, path }], mayReplace: false }, io);
				return text().replace(/^agent: /gm, "");
			}
		}
	}

	/** Those of the directory, the last used first; where the words stand in none of them, those of other directories. */
	findSessions(words: string, columns: number): FoundSessions {
		const { home, directory } = this.#options;
		const sessionsOf = (cwd: string | undefined) =>
			filterSessions(listSessions(home, cwd), words, firstMessages).filter(({ run }) => run !== this.#run?.run);
		const here = sessionsOf(directory);
		const hasDirectories = here.length === 0 && words !== "";
		const sessions = (hasDirectories ? sessionsOf(undefined) : here).slice(0, MOST_SESSIONS);
		const { header, rows } = sessionRows(sessions.map(lookedAt), {
			...{ now: SYSTEM_CLOCK.now(), columns: Math.max(1, columns - MARGIN), hasDirectories, paint: PLAIN },
			...{ messagesOf: firstMessages, names: namesOfRuns(listRuns(home)) },
		});
		return { header, rows: rows.map(({ session, line }) => ({ run: session.run, line })) };
	}

	async findUndo(to: number | undefined): Promise<UndoFound> {
		const run = this.#begun();
		return (await this.#undo()).find(run, to);
	}

	async putBackFiles(): Promise<string> {
		return (await this.#undo()).putBack();
	}

	/** Loaded when it is asked for: the prompt is waited for. */
	async #undo(): Promise<ChatUndo> {
		const { ChatUndo } = await import("./chat-undo.ts");
		this.#undoing ??= new ChatUndo(this.#options);
		return this.#undoing;
	}

	answer(back: number): string | undefined {
		const answers: string[] = [];
		if (this.#run === undefined) return undefined;
		forEachEntry(this.#run.directory, ROOT, (entry) => {
			const text = entry.role === "assistant" ? textOf(entry.content) : "";
			if (text.trim() !== "") answers.push(text);
		});
		return answers.at(-1 - back);
	}

	/** Throws AgentreeError before the first message. */
	#begun(): ChatRun {
		if (this.#run === undefined) throw new AgentreeError("refused", "the chat has not started: send a message");
		return this.#run;
	}

	branch(): string | undefined {
		const now = SYSTEM_CLOCK.elapsed();
		if (now - this.#branchAt >= BRANCH_MS) {
			this.#branch = gitBranch(this.#options.directory);
			this.#branchAt = now;
		}
		return this.#branch;
	}

	notify(text: string): boolean {
		this.#options.notify?.(text);
		return this.#options.notify !== undefined;
	}
}

const SHORT_COMMIT = 7;

/** A commit's beginning where no branch is checked out; undefined outside of a repository, and where it cannot be read. */
export function gitBranch(directory: string): string | undefined {
	try {
		const found = repositoryAround(directory);
		const head = found === undefined ? undefined : headIn(found.repository.directory);
		const [, branch] = /^ref: refs\/heads\/(.+)$/.exec(head ?? "") ?? [];
		return branch ?? head?.slice(0, SHORT_COMMIT);
	} catch {
		return undefined; // a directory that a command has closed, say
	}
}

function headIn(directory: string): string | undefined {
	const path = join(directory, "HEAD");
	return statSync(path).isFile() ? readFileSync(path, "utf8").trim() : undefined; // opening a FIFO waits for a writer
}

/** Of a longer text the end is shown. */
const MOST_LINES = 400;

function endOf(text: string, whole: string): string {
	const lines = text.split("\n");
	if (lines.length <= MOST_LINES) return text;
	return [`… ${lines.length - MOST_LINES} earlier lines: ${whole}`, ...lines.slice(-MOST_LINES)].join("\n");
}
