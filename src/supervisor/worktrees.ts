/**
 * The git worktrees of agents: made when an agent begins, and removed at its end when nothing in them would be lost. All of it is done by
 * the supervisor, one after the other, so that children that start side by side do not meet at git's locks. What is going to
 * be made is recorded first: nothing is ever there that no record tells of.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type AgentId, type Ending, ROOT } from "../core/agent.ts";
import { isAtOrBelow } from "../core/at-or-below.ts";
import { helperCookie } from "../core/cookie.ts";
import { AgentreeError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RunEvent } from "../core/run-event.ts";
import type { RunState } from "../core/run-state.ts";
import type { KnownWorktree, OwnWorktree } from "../core/schemas/own-worktree.ts";
import { worktreeOf, worktreesLeft } from "../core/worktrees.ts";
import type { Join } from "../protocol/agent-messages.ts";
import { describeKeptWorktree, NONE_IN_SANDBOX } from "../text/worktrees.ts";
import type { MadeWorktree } from "../worktree/agents/make-worktree.ts";
import type { RepositoryFacts } from "../worktree/agents/place-worktree.ts";
import type { Machine } from "./processes/machine.ts";
import type { RunSettings } from "./run-settings.ts";

export interface WorktreesDeps {
	readonly settings: Pick<
		RunSettings,
		"run" | "home" | "env" | "socket" | "cwd" | "worktree" | "sandbox" | "keepsBackground"
	>;
	readonly run: () => RunState;
	readonly emit: (event: RunEvent) => void;
	readonly now: () => number;
	readonly machine: Pick<Machine, "processesOf">;
}

/** The code is loaded in runs with worktrees alone. */
const load = {
	git: () => import("../worktree/agents/repository-git.ts"),
	place: () => import("../worktree/agents/place-worktree.ts"),
	make: () => import("../worktree/agents/make-worktree.ts"),
	settle: () => import("../worktree/agents/settle-worktree.ts"),
};

type Placing = { readonly place: (agent: AgentId) => OwnWorktree };

export class Worktrees {
	private readonly deps: WorktreesDeps;
	private readonly closing = new AbortController();
	/** By the number of the joining process's connection. */
	private readonly placings = new Map<number, Placing>();
	private readonly making = new Map<AgentId, Promise<MadeWorktree>>();
	private readonly failures = new Map<AgentId, Ending>();
	private work: Promise<unknown> = Promise.resolve();

	constructor(deps: WorktreesDeps) {
		this.deps = deps;
	}

	/** Looks at the repository of a process that asks for a worktree. Gives why it cannot have one. */
	async look(connection: number, { worktree: asked, cwd }: Join): Promise<string | undefined> {
		const { settings, run } = this.deps;
		if (asked === undefined) return undefined;
		if (settings.sandbox !== undefined) return NONE_IN_SANDBOX;
		try {
			const { lookAtRepository, placeOf, requireFree } = await load.place();
			const git = await this.git();
			const facts: RepositoryFacts = await lookAtRepository(cwd, git);
			const { home } = settings;
			if (asked.name !== undefined) await requireFree(facts, { name: asked.name, home }, git);
			const place = (agent: AgentId) => placeOf(facts, asked.name ?? `${run().run}-${agent}`, home);
			this.placings.set(connection, { place });
			return undefined;
		} catch (error) {
			if (error instanceof AgentreeError) return error.message;
			const { code } = error as NodeJS.ErrnoException;
			if (code === undefined) throw error;
			return `a worktree of ${cwd} cannot be made: ${code}`;
		}
	}

	forget(connection: number): void {
		this.placings.delete(connection);
	}

	/** To be called when the agent is admitted, before it is told so: it gets the worktree that it asked for, or had. */
	begin(agent: AgentId, connection: number): void {
		const placing = this.placings.get(connection);
		this.placings.delete(connection);
		const own = placing?.place(agent);
		const had = this.known(agent);
		if (own !== undefined) this.make(own, agent, "anew");
		else if (agent !== ROOT && had !== undefined) this.make(had, agent, "again");
	}

	/**
	 * Makes that of the root, before its process starts in it. Resolves to its directory, or to the ending of one that has none; undefined without
	 * one. One that goes on in another directory than the run had leaves its worktree as it is.
	 */
	async beginRoot(): Promise<{ is: "ready"; cwd: string } | { is: "failed"; ending: Ending } | undefined> {
		const { cwd, worktree } = this.deps.settings;
		const had = this.known(ROOT);
		const own = worktree ?? (had !== undefined && isOf(had, cwd) ? had : undefined);
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
		return worktreeOf(this.deps.run(), agent);
	}

	/** To be called when nothing of the agent runs any more. Resolves to the line that tells of what is kept. */
	async settle(agent: AgentId): Promise<string | undefined> {
		if (this.known(agent)?.state.is !== "used") return undefined;
		return this.inTurn(async () => {
			const known = this.known(agent);
			if (known?.state.is !== "used") return undefined;
			const { settings } = this.deps;
			const { settleWorktree } = await load.settle();
			const git = await this.git();
			const settled = await settleWorktree(known, { git, home: settings.home, staysBecause: this.whyBusy(agent) });
			const at = this.deps.now();
			if (settled.is === "removed") {
				this.deps.emit({ event: "worktree_removed", at, agent });
				return undefined;
			}
			const { is: _, ...kept } = settled;
			this.deps.emit({ event: "worktree_kept", at, agent, ...kept });
			return describeKeptWorktree(known, kept);
		});
	}

	/** What an agent is told that is being stopped, and cannot wait, or whose worktree cannot be looked at. */
	lineOfStopped(agent: AgentId): string | undefined {
		const own = this.of(agent);
		return own && `its git worktree is kept if anything has changed in it: ${own.path}, branch ${own.branch}`;
	}

	/** Those of agents that died, or were stopped, among them. */
	async settleAll(): Promise<void> {
		for (const [agent] of worktreesLeft(this.deps.run()).toReversed()) await this.settle(agent).catch(() => {});
	}

	/**
	 * Where a directory lies in the tree of which it is a copy: what files tell agents there, and whether they are trusted, holds for its
	 * worktrees, too.
	 */
	originOf(directory: string): string {
		const all = Object.values(this.deps.run().worktrees ?? {});
		let at = directory;
		for (let depth = 0; depth < all.length; depth++) {
			const holder = all.find(({ path }) => isAtOrBelow(at, path));
			if (holder === undefined) break;
			at = join(holder.origin, relative(holder.path, at));
		}
		while (at !== directory && !existsSync(at) && dirname(at) !== at) at = dirname(at);
		return at;
	}

	/** Their directories. */
	paths = (): string[] => Object.values(this.deps.run().worktrees ?? {}).map(({ path }) => path);

	/** Ends what is under way. */
	close(): void {
		this.closing.abort();
	}

	private make(own: OwnWorktree, agent: AgentId, how: "anew" | "again"): Promise<MadeWorktree> {
		const { path, cwd, origin, repository, branch, base } = own;
		const facts = { path, cwd, origin, repository, branch, base };
		const { emit, now } = this.deps;
		if (this.known(agent)?.state.is !== "used" || how === "anew")
			emit({ event: "worktree_begun", at: now(), agent, ...facts });
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
			const { makeWorktree, remakeWorktree } = await load.make();
			const { run, socket, home } = this.deps.settings;
			const cookie = helperCookie({ run, socket, agent });
			const git = await this.git({ cookie });
			return await (how === "anew" ? makeWorktree(own, git) : remakeWorktree(own, git, home));
		} catch (error) {
			const { code, message } = error as NodeJS.ErrnoException;
			if (!(error instanceof AgentreeError) && code === undefined) throw error;
			return { is: "failed", reason: message };
		}
	}

	private failed(agent: AgentId, how: "anew" | "again", reason: string): void {
		const at = this.deps.now();
		this.failures.set(agent, failure(reason));
		if (how === "anew") this.deps.emit({ event: "worktree_removed", at, agent });
		else this.deps.emit({ event: "worktree_kept", at, agent, commits: 0, files: 0, reason });
	}

	private whyBusy(agent: AgentId): string | undefined {
		const { settings, machine } = this.deps;
		if (!settings.keepsBackground || machine.processesOf(agent).length === 0) return undefined;
		return "processes that were left running may work in it";
	}

	private known(agent: AgentId): KnownWorktree | undefined {
		return this.deps.run().worktrees?.[agent];
	}

	private async git(filters?: { cookie: Record<string, string> }) {
		const { repositoryGit } = await load.git();
		const { env } = this.deps.settings;
		return repositoryGit({ env, signal: this.closing.signal, ...(filters && { filters }) });
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

/** The directory is that of which the agent's directory is a copy. */
function isOf({ path, cwd, origin }: OwnWorktree, directory: string): boolean {
	return existsSync(directory) && realpathSync(directory) === join(origin, relative(path, cwd));
}
