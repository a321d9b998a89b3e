/** What the command line does for a conversation on a terminal. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Choice, FoundSessions } from "../../chat/chat-state.ts";
import type { LookUp } from "../../chat/effect.ts";
import type { ChatHost } from "../../chat/options.ts";
import type { UndoFound } from "../../chat/undoing.ts";
import { type AgentId, ROOT } from "../../core/agent.ts";
import { AgentreeError } from "../../core/errors.ts";
import { textOf } from "../../core/message.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { forEachEntry } from "../../store/read-events.ts";
import { divertComplaints } from "../../terminal/print.ts";
import { linkToRun } from "../attach/link-to-run.ts";
import { LivingRun } from "../attach/living-run.ts";
import { collectingIo } from "../io/collecting-io.ts";
import { hasScreen } from "../io/has-screen.ts";
import { gitBranch } from "./git-branch.ts";
import { type ListingCommands, lookUp } from "./look-up.ts";
import { offeredSessions } from "./offered-sessions.ts";
import type { TalkRun } from "./talk-run.ts";
import type { TalkUndo } from "./talk-undo.ts";

const BRANCH_MS = 2_000;
const MOST_BEGIN_MS = 5_000;

export interface TalkHostOptions {
	readonly env: Readonly<Record<string, string | undefined>>;
	/** The state directory. */
	readonly home: string;
	/** Of the conversation. */
	readonly directory: string;
	readonly commands: ListingCommands;
	/** Rejects with AgentreeError when the model of the conversation cannot be called. */
	readonly check: () => Promise<unknown>;
	/** Starts the run with its first message. */
	readonly begin: (message: string, choice: Choice) => Promise<TalkRun>;
	/** The person's own command for notices. */
	readonly notify: ((text: string) => void) | undefined;
}

export class TalkHost implements ChatHost {
	readonly #options: TalkHostOptions;
	#branch: string | undefined;
	#branchAt = Number.NEGATIVE_INFINITY;
	#run: TalkRun | undefined;
	#beginning: Promise<TalkRun> | undefined;
	#undoing: TalkUndo | undefined;

	/** `run`: of a conversation that has begun. */
	constructor(options: TalkHostOptions, run: TalkRun | undefined) {
		this.#options = options;
		this.#run = run;
	}

	/** Undefined before the first message. */
	get run(): TalkRun | undefined {
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

	begin(message: string, choice: Choice): Promise<TalkRun> {
		this.#beginning = this.#begin(message, choice);
		return this.#beginning;
	}

	/** Ends a run that was just being started when a signal ended its conversation. */
	async abandon(signal: number): Promise<void> {
		const began = this.#beginning?.catch(() => undefined);
		const run = await Promise.race([began, sleep(MOST_BEGIN_MS, undefined)]);
		const reason = "the conversation was ended by a signal";
		run?.link.send({ say: "stop_agent", agent: ROOT, reason, signal, isHurry: false });
	}

	async #begin(message: string, choice: Choice): Promise<TalkRun> {
		const notices: string[] = [];
		const stop = divertComplaints((line) => notices.push(line));
		try {
			this.#run = { ...(await this.#options.begin(message, choice)), notices };
			return this.#run;
		} finally {
			stop();
		}
	}

	/** A dashboard with a connection of its own. */
	async showTree(selected: AgentId): Promise<void> {
		if (this.#run === undefined) return;
		if (!hasScreen())
			throw new AgentreeError("refused", "the dashboard needs a terminal that is not dumb: /ps lists agents");
		const { run, directory } = this.#run;
		const { env } = this.#options;
		const { showDashboard } = await import("../../dashboard/main.ts");
		const { io } = collectingIo({ env, now: SYSTEM_CLOCK.now }, 80);
		const connection = await linkToRun({ run, directory }, io);
		try {
			await showDashboard({
				...{ runDirectory: directory, connection, isAttached: true, isOverConversation: true, selected },
				...{ input: process.stdin, output: process.stdout, env, now: SYSTEM_CLOCK.now },
			});
		} finally {
			if (connection instanceof LivingRun) connection.close();
		}
	}

	async lookUp(what: LookUp, columns: number): Promise<string> {
		const { env, home, commands } = this.#options;
		return lookUp(what, () => this.#begun(), {
			commands,
			home,
			io: collectingIo({ env, now: SYSTEM_CLOCK.now }, columns),
		});
	}

	findSessions(words: string, columns: number): FoundSessions {
		const { home, directory } = this.#options;
		return offeredSessions(words, { home, directory, columns, except: this.#run?.run });
	}

	async findUndo(to: number | undefined): Promise<UndoFound> {
		const run = this.#begun();
		return (await this.#undo()).find(run, to);
	}

	async putBackFiles(): Promise<string> {
		return (await this.#undo()).putBack();
	}

	/** Loaded when it is asked for: the prompt is waited for. */
	async #undo(): Promise<TalkUndo> {
		const { TalkUndo } = await import("./talk-undo.ts");
		this.#undoing ??= new TalkUndo(this.#options);
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
	#begun(): TalkRun {
		if (this.#run === undefined) throw new AgentreeError("refused", "the conversation has not begun: say something");
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
