/**
 * Keeps the files of a conversation before the first command after each message of a person. It begins when the message goes
 * out with a call, and reads while the model thinks; an answer with commands then waits for it, but not forever: what takes
 * longer is not kept for that message, and said. The first look begins when the root joins, so that the first message need not
 * wait for it.
 */

import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { ROOT } from "../../core/model/agent.ts";
import { wordsIn } from "../../core/model/message-marks.ts";
import { preview } from "../../core/preview.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import type { NoTree } from "../../project/undo/open-tree.ts";
import { describeSkipped } from "../../project/undo/plan-put-back.ts";
import type { SavedTree } from "../../project/undo/saved-tree.ts";
import { newestRuns } from "../../record/read-run.ts";
import { undoDirectory } from "../../record/run-directory.ts";
import type { ToAgent } from "../../wire/agent-messages.ts";
import type { RunCore } from "../run/run-core.ts";

type OpenSavedTree = Pick<SavedTree, "top" | "keep" | "warmUp">;

/** `signal` ends what is under way. */
type OpenTree = (signal: AbortSignal) => Promise<{ is: "open"; worktree: OpenSavedTree } | NoTree>;

const MOST_WAIT_MS = 10_000;
const TOO_SLOW = `it takes more than ${MOST_WAIT_MS / 1_000} s, and the commands did not wait`;
/** What was read until then is known the next time. */
const MOST_KEEP_MS = 60_000;
const MESSAGE_CHARS = 200;

/** The keeping for one message. */
interface Keeping {
	readonly text: string;
	readonly startedAt: number;
	/** It is done, or nobody waits for it any more. */
	isOver: boolean;
	/** A command waits for it, which it will not do forever. */
	isAwaited: boolean;
}

export class FileSnapshots {
	private readonly core: RunCore;
	private readonly openTree: OpenTree;
	private readonly firstMessage: string;
	private readonly closing = new AbortController();
	private opened: ReturnType<OpenTree> | undefined;
	private work: Promise<void> = Promise.resolve();
	private newest: Keeping | undefined;
	/** Messages of the person that no call has carried yet. */
	private waiting: string[] = [];
	private readonly onOver = new Set<() => void>();
	private lastReason: string | undefined;
	private lastNotice: string | undefined;

	/** `firstMessage`: what the root is told at its start. */
	constructor(core: RunCore, openTree: OpenTree, firstMessage: string) {
		this.core = core;
		this.openTree = openTree;
		this.firstMessage = firstMessage;
	}

	/** To be told of all that happens in the run. */
	event(event: RunEvent): void {
		const { run } = this.core;
		if (run.isConversation !== true || this.closing.signal.aborted) return;
		if (!("agent" in event) || event.agent !== ROOT) return;
		if (event.event === "message_sent" && event.from === null) this.waiting.push(wordsIn(event.text));
		else if (event.event === "message_withdrawn") this.waiting.pop();
		else if (event.event === "message_delivered" && this.waiting.length > 0)
			this.begin(this.waiting.splice(0).join("\n"));
		else if (event.event === "turn_started" && this.newest === undefined) this.begin(wordsIn(this.firstMessage));
		else if (event.event === "agent_joined" || event.event === "agent_resumed") {
			this.waiting = (run.agents[ROOT]?.messages ?? []).flatMap(({ from, text }) =>
				from === null ? [wordsIn(text)] : [],
			);
			this.queue(async (worktree, signal) => worktree.warmUp(signal));
		}
	}

	/** Calls `then` once the files are kept, or are not going to be; false when nothing is to be waited for. */
	waitFor(then: () => void): boolean {
		const keeping = this.newest;
		if (keeping === undefined || keeping.isOver) return false;
		this.onOver.add(then);
		this.limitWait(keeping);
		return true;
	}

	private limitWait(keeping: Keeping): void {
		if (!keeping.isAwaited) this.core.host.after(MOST_WAIT_MS, () => this.end(keeping, TOO_SLOW));
		keeping.isAwaited = true;
	}

	/** Resolves when nothing of it is under way any more. */
	close(): Promise<void> {
		this.closing.abort();
		this.goOn();
		return this.work;
	}

	private begin(text: string): void {
		if (this.newest !== undefined) this.newest.isOver = true; // no command has begun since: the new state is as good
		const startedAt = this.core.host.elapsed();
		const keeping: Keeping = { text: preview(text, MESSAGE_CHARS), startedAt, isOver: false, isAwaited: false };
		this.newest = keeping;
		if (this.onOver.size > 0) this.limitWait(keeping);
		this.queue(
			async (worktree, signal) => {
				if (!keeping.isOver) this.end(keeping, await this.keep(worktree, keeping, signal));
			},
			(reason) => this.end(keeping, reason),
		);
	}

	/** Gives the reason why the files are not kept. */
	private async keep(worktree: OpenSavedTree, keeping: Keeping, signal: AbortSignal): Promise<string | undefined> {
		const why = { is: "message", text: keeping.text } as const;
		const kept = await worktree.keep(why, signal, () => !keeping.isOver);
		if (kept.is === "not_kept" || keeping.isOver) return kept.is === "not_kept" ? kept.reason : undefined;
		const { host } = this.core;
		const notice = describeSkipped(kept.facts.skipped);
		const told = notice === this.lastNotice ? {} : defined({ notice });
		this.lastNotice = notice;
		const tookMs = Math.round(host.elapsed() - keeping.startedAt);
		this.core.emit({
			event: "tree_kept",
			at: host.now(),
			agent: ROOT,
			id: kept.state.id,
			top: worktree.top,
			tookMs,
			...told,
		});
		return undefined;
	}

	/** The commands that wait may begin. The same reason is said once, until a state is kept again. */
	private end(keeping: Keeping, reason: string | undefined): void {
		if (keeping.isOver) return;
		keeping.isOver = true;
		if (reason !== undefined && reason !== this.lastReason && !this.closing.signal.aborted)
			this.core.emit({ event: "tree_not_kept", at: this.core.host.now(), agent: ROOT, reason });
		this.lastReason = reason;
		this.goOn();
	}

	private goOn(): void {
		for (const then of [...this.onOver]) {
			this.onOver.delete(then);
			then();
		}
	}

	/** One after the other: they share an index. `otherwise`: called with the reason why it cannot be done. */
	private queue(
		act: (worktree: OpenSavedTree, signal: AbortSignal) => Promise<unknown>,
		otherwise: (reason: string) => void = () => {},
	): void {
		this.work = this.work.then(async () => {
			const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(MOST_KEEP_MS)]);
			if (this.closing.signal.aborted) return;
			try {
				this.opened ??= this.openTree(this.closing.signal);
				const opened = await this.opened;
				if (opened.is === "none") otherwise(opened.reason);
				else await act(opened.worktree, signal);
			} catch (error) {
				const isOfSystem = error instanceof AgentreeError || (error as NodeJS.ErrnoException).code !== undefined;
				if (!isOfSystem) throw error;
				this.opened = undefined;
				otherwise((error as Error).message);
			}
		});
	}
}

const MOST_RUNS = 20; // of which one may have kept states of the same tree

/** Opens the work tree of a conversation, of which states are kept. Its code is loaded in conversations alone. */
export async function openSavedTree({ settings, host, directory }: RunCore, cwd: string, signal: AbortSignal) {
	const { home, env } = settings;
	const { SavedTree } = await import("../../project/undo/saved-tree.ts");
	const earlier = [...newestRuns(home, MOST_RUNS)].map((run) => undoDirectory(run.directory));
	return SavedTree.open({ cwd, directory: undoDirectory(directory), own: [home], earlier, env, signal, now: host.now });
}

/**
 * Answers with commands wait here until the files that these may change are kept. What else is told to the agent meanwhile
 * comes behind its answer, and what ends its commands lets the answer go at once.
 */
export class RepliesAwaitingSnapshot {
	private readonly core: RunCore;
	private readonly snapshots: FileSnapshots;
	private readonly held = new Map<AgentId, ToAgent[]>();

	constructor(core: RunCore, snapshots: FileSnapshots) {
		this.core = core;
		this.snapshots = snapshots;
	}

	send(agent: AgentId, message: ToAgent): void {
		const held = this.held.get(agent);
		if (held !== undefined) {
			held.push(message);
			if (message.say === "stop" || message.say === "interrupt") this.letGo(agent);
		} else if (hasCommands(message) && this.snapshots.waitFor(() => this.letGo(agent))) this.held.set(agent, [message]);
		else this.core.registry.send(agent, message);
	}

	private letGo(agent: AgentId): void {
		const held = this.held.get(agent) ?? [];
		this.held.delete(agent);
		for (const message of held) this.core.registry.send(agent, message);
	}
}

function hasCommands(message: ToAgent): boolean {
	if (message.say !== "reply" || message.waits) return false;
	return message.answer?.content.some(({ type }) => type === "tool_use") === true;
}
