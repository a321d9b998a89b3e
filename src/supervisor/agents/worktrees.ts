/**
 * The git worktrees of agents: made when an agent begins, and removed at its end when nothing in them would be lost. All of it is done by
 * the supervisor, one after the other, so that children that start side by side do not meet at git's locks. What is going to
 * be made is recorded first: nothing is ever there that no record tells of.
 */

import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { AgentreeError, EXIT } from "../../core/errors.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { accessTo, type Confinement, deepestOver } from "../../core/machine/sandbox.ts";
import { type AgentId, type Ending, parentOf, ROOT } from "../../core/model/agent.ts";
import { helperCookie } from "../../core/run/cookie.ts";
import { worktreeOf, worktreesBelow, worktreesLeft } from "../../core/run/file-events.ts";
import type { KnownWorktree, OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { personOf } from "../../project/project-of.ts";
import type { MadeWorktree } from "../../project/worktrees/make-worktree.ts";
import type { RepositoryFacts } from "../../project/worktrees/place-worktree.ts";
import { isWorktreeOf } from "../../project/worktrees/place-worktree.ts";
import type { GitHost } from "../../project/worktrees/repository-git.ts";
import { describeKeptWorktree, noWritableRepository } from "../../view/words/worktrees.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";

type GitUse = Pick<GitHost, "filters"> & { readonly entry?: string | undefined };

/** The code is loaded in runs with worktrees alone. */
const load = {
	git: () => import("../../project/worktrees/repository-git.ts"),
	make: () => import("../../project/worktrees/make-worktree.ts"),
	settle: () => import("../../project/worktrees/settle-worktree.ts"),
	entry: () => import("../../project/worktrees/place-worktree.ts"),
};

export class Worktrees {
	private readonly core: RunCore;
	private readonly sandboxes: Sandboxes;
	private readonly closing = new AbortController();
	/** Where the worktrees of joining processes are going to be, by the number of the connection, until these are admitted or refused. */
	private readonly placings = new Map<number, Placing>();
	private readonly making = new Map<AgentId, Promise<MadeWorktree>>();
	private readonly failures = new Map<AgentId, Ending>();
	private work: Promise<unknown> = Promise.resolve();

	constructor(core: RunCore, sandboxes: Sandboxes) {
		this.core = core;
		this.sandboxes = sandboxes;
	}

	/** Looks at the repository of a process that asks for a worktree. Gives why it cannot have one. */
	async look(connection: number, { worktree: asked, cwd }: Join, above: AgentAbove): Promise<string | undefined> {
		if (asked === undefined) return undefined;
		try {
			const { lookAtRepository, placeOf, requireFree } = await import("../../project/worktrees/place-worktree.ts");
			if (above.sandbox !== undefined && isOwnTemporary(cwd, above.sandbox))
				return existsSync(cwd) ? noWritableRepository(cwd) : inOwnTemporary(cwd);
			const git = await this.git(above.id);
			const facts: RepositoryFacts = await lookAtRepository(cwd, git, personOf(this.core.settings.env));
			if (above.sandbox !== undefined && accessTo(facts.repository, above.sandbox.mounts) !== "write")
				return noWritableRepository(facts.repository);
			const { run, settings } = this.core;
			const within = worktreesBelow(run, above.id, realpathSync(settings.home));
			if (asked.name !== undefined) await requireFree(facts, { name: asked.name, within }, git);
			this.placings.set(connection, (agent) => placeOf(facts, asked.name ?? `${run.run}-${agent}`, within));
			return undefined;
		} catch (error) {
			if (error instanceof AgentreeError) return error.message;
			const { code } = error as NodeJS.ErrnoException;
			if (code === undefined) throw error;
			return `cannot create a worktree of ${cwd}: ${code}`;
		}
	}

	/** Where that of a process is going to be, as which agent it may be admitted. */
	placeFor(connection: number, agent: AgentId): OwnWorktree | undefined {
		return this.placings.get(connection)?.(agent);
	}

	forget(connection: number): void {
		this.placings.delete(connection);
	}

	/** To be called when the agent is admitted, before it is told so: it gets the worktree that it asked for, or had. */
	begin(agent: AgentId, connection: number): void {
		const own = this.placeFor(connection, agent);
		this.forget(connection);
		const had = this.known(agent);
		if (own !== undefined) this.make(own, agent, "anew");
		else if (agent !== ROOT && had !== undefined) this.make(had, agent, "again");
	}

	/**
	 * Makes that of the root, before its process starts in it. Resolves to its directory, or to the ending of one that has none; undefined without
	 * one. One that goes on in another directory than the run had leaves its worktree as it is.
	 */
	async beginRoot(): Promise<{ is: "ready"; cwd: string } | { is: "failed"; ending: Ending } | undefined> {
		const { cwd, worktree } = this.core.settings;
		const had = this.known(ROOT);
		const own = worktree ?? (had !== undefined && isWorktreeOf(had, cwd) ? had : undefined);
		if (own === undefined) return undefined;
		const made = await this.make(own, ROOT, worktree === undefined ? "again" : "anew");
		return made.is === "made" ? { is: "ready", cwd: own.cwd } : { is: "failed", ending: failure(made.reason) };
	}

	/** Calls `then` when the agent's worktree is made, at once when it has none, and `otherwise` with the reason when it cannot be. */
	whenMade(agent: AgentId, then: () => void, otherwise: (reason: string) => void): void {
		const making = this.making.get(agent);
		if (making === undefined) return then();
		void making.then((made) => (made.is === "made" ? then() : otherwise(made.reason)));
	}

	/** That of an agent which could not begin. */
	endingOf(agent: AgentId): Ending | undefined {
		return this.failures.get(agent);
	}

	/** In which the agent works. */
	of(agent: AgentId): OwnWorktree | undefined {
		return worktreeOf(this.core.run, agent);
	}

	/** To be called when nothing of the agent runs any more. Resolves to the line that tells of what is kept. */
	async settle(agent: AgentId): Promise<string | undefined> {
		const isDue = () => this.known(agent)?.state.is === "used";
		return isDue() ? this.settleWhile(isDue, agent) : undefined;
	}

	private settleWhile(isDue: () => boolean, agent: AgentId, goesWhenMerged = false): Promise<string | undefined> {
		return this.inTurn(async () => {
			const known = this.known(agent);
			if (known === undefined || !isDue()) return undefined;
			const { settings } = this.core;
			const { settleWorktree } = await load.settle();
			const { entryOfWorktree } = await load.entry();
			const git = await this.git(parentOf(agent), { entry: entryOfWorktree(known) });
			const staysBecause = this.whyBusy(agent);
			const settled = await settleWorktree(known, { git, home: settings.home, goesWhenMerged, staysBecause });
			const at = this.core.host.now();
			if (settled.is === "removed") {
				this.core.emit({ event: "worktree_removed", at, agent });
				return undefined;
			}
			const { is: _, ...kept } = settled;
			if (!isDeepStrictEqual(known.state, settled)) this.core.emit({ event: "worktree_kept", at, agent, ...kept });
			return describeKeptWorktree(known, kept);
		});
	}

	/** What an agent is told that is being stopped, and cannot wait, or whose worktree cannot be looked at. */
	lineOfStopped(agent: AgentId): string | undefined {
		const own = this.of(agent);
		return own && `its git worktree is kept if it has changes: ${own.path}, branch ${own.branch}`;
	}

	/** Those of agents that died, or were stopped, among them. Agents above may have merged, and removed, what was kept. */
	async settleAll(): Promise<void> {
		for (const [agent, { path, state }] of worktreesLeft(this.core.run).toReversed()) {
			const isKept = () => state.is === "kept" && !state.isGone && agent !== ROOT;
			await (isKept() ? this.settleWhile(isKept, agent, !existsSync(path)) : this.settle(agent)).catch(() => {});
		}
		await this.lookAgain().catch(() => {});
	}

	/** What an agent had in a worktree that was kept, the agents above it could change until their own end. */
	private async lookAgain(): Promise<void> {
		const kept = worktreesLeft(this.core.run).flatMap(([agent, known]) =>
			known.state.is === "kept" && !known.state.isUntied && existsSync(known.path)
				? [{ agent, known, state: known.state }]
				: [],
		);
		if (kept.length === 0) return;
		const { entryOfWorktree } = await load.entry();
		const { UNTIED: reason } = await load.settle();
		for (const { agent, known, state } of kept) {
			if (entryOfWorktree(known) !== undefined) continue;
			const { is: _, ...kept } = state;
			this.core.emit({ event: "worktree_kept", at: this.core.host.now(), agent, ...kept, isUntied: true, reason });
		}
	}

	originOf(directory: string): string {
		return originOfCopy(directory, Object.values(this.core.run.worktrees ?? {}));
	}

	paths = (): string[] => Object.values(this.core.run.worktrees ?? {}).map(({ path }) => path);

	close(): void {
		this.closing.abort();
	}

	private make(own: OwnWorktree, agent: AgentId, how: "anew" | "again"): Promise<MadeWorktree> {
		const { state: _, ...facts }: Partial<KnownWorktree> & OwnWorktree = own;
		const { core } = this;
		if (this.known(agent)?.state.is !== "used" || how === "anew")
			core.emit({ event: "worktree_begun", at: core.host.now(), agent, ...facts });
		const making = this.inTurn(() => this.made(facts, agent, how));
		this.making.set(agent, making);
		void making.then((made) => {
			this.making.delete(agent);
			if (made.is === "failed") this.failed(agent, how, made.reason);
		});
		return making;
	}

	private async made(own: OwnWorktree, agent: AgentId, how: "anew" | "again"): Promise<MadeWorktree> {
		try {
			const { makeWorktree, remakeWorktree, makePlaceBelow } = await load.make();
			const { run, socket, home } = this.core.settings;
			const cookie = helperCookie({ run, socket, agent });
			const git = await this.git(parentOf(agent), { filters: { cookie } });
			const made = await (how === "anew" ? makeWorktree : remakeWorktree)(own, git, home);
			if (made.is === "made" && git.isConfined) makePlaceBelow(own.path, home);
			return made;
		} catch (error) {
			const { code, message } = error as NodeJS.ErrnoException;
			if (!(error instanceof AgentreeError) && code === undefined) throw error;
			return { is: "failed", reason: message };
		}
	}

	private failed(agent: AgentId, how: "anew" | "again", reason: string): void {
		const at = this.core.host.now();
		this.failures.set(agent, failure(reason));
		if (how === "anew") this.core.emit({ event: "worktree_removed", at, agent });
		else this.core.emit({ event: "worktree_kept", at, agent, commits: 0, files: 0, reason });
	}

	private whyBusy(agent: AgentId): string | undefined {
		const { settings, machine } = this.core;
		if (!settings.keepsBackground || machine.processesOf(agent).length === 0) return undefined;
		return "processes left running may use it";
	}

	private known(agent: AgentId): KnownWorktree | undefined {
		return this.core.run.worktrees?.[agent];
	}

	/** `entry`: of a worktree that it may take away. */
	private async git(above: AgentId | undefined, { entry, filters }: GitUse = {}) {
		const { repositoryGit } = await load.git();
		const { settings } = this.core;
		const host = { env: settings.env, signal: this.closing.signal, sandbox: this.sandboxes.git(above, entry) };
		return repositoryGit({ ...host, ...(filters && { filters }) });
	}

	private inTurn<T>(act: () => Promise<T>): Promise<T> {
		const done = this.work.then(act);
		this.work = done.catch(() => {});
		return done;
	}
}

function failure(reason: string): Ending {
	return { by: "failure", reason, exitCode: EXIT.failure };
}

/**
 * Where a directory of a git worktree lies in the tree of which it is a copy: what files tell agents there, and whether they are trusted,
 * holds for its worktrees, too.
 */
function originOfCopy(directory: string, worktrees: readonly OwnWorktree[]): string {
	let at = directory;
	for (let depth = 0; depth < worktrees.length; depth++) {
		const holder = worktrees.find(({ path }) => isAtOrBelow(at, path));
		if (holder === undefined) break;
		at = join(holder.origin, relative(holder.path, at));
	}
	while (at !== directory && !existsSync(at) && dirname(at) !== at) at = dirname(at);
	return at;
}

/** The agent that starts the process, and what confines that. */
export interface AgentAbove {
	readonly id: AgentId;
	readonly sandbox?: Confinement | undefined;
}

type Placing = (agent: AgentId) => OwnWorktree;

/** The /tmp of a run is another one than that of the machine: what lies there is not where its path says. */
function isOwnTemporary(cwd: string, { mounts }: Confinement): boolean {
	return /^(\/var)?\/tmp(\/|$)/.test(cwd) && deepestOver(cwd, mounts) === undefined;
}

function inOwnTemporary(cwd: string): string {
	return `--worktree: ${cwd} is in the run's temporary /tmp: a worktree needs a repository in the project`;
}
