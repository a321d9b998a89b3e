/** Where the worktrees of processes are going to be that ask for one, until these are admitted or refused. */
import { existsSync, realpathSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import { accessTo, type Confinement, deepestOver } from "../../core/machine/sandbox.ts";
import type { AgentId } from "../../core/model/agent.ts";
import { worktreesBelow } from "../../core/run/worktrees.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { personOf } from "../../project/project-of.ts";
import type { RepositoryFacts } from "../../project/worktrees/place-worktree.ts";
import type { RepositoryGit } from "../../project/worktrees/repository-git.ts";
import { noWritableRepository } from "../../view/words/worktrees.ts";
import type { Join } from "../../wire/agent-messages.ts";
import type { RunCore } from "../run/run-core.ts";

/** The agent that starts the process, and what confines that. */
export interface AgentAbove {
	readonly id: AgentId;
	readonly sandbox?: Confinement | undefined;
}

type Placing = (agent: AgentId) => OwnWorktree;

export class WorktreePlaces {
	private readonly core: RunCore;
	private readonly gitFor: (above: AgentId) => Promise<RepositoryGit>;
	/** By the number of the joining process's connection. */
	private readonly placings = new Map<number, Placing>();

	constructor(core: RunCore, gitFor: (above: AgentId) => Promise<RepositoryGit>) {
		this.core = core;
		this.gitFor = gitFor;
	}

	/** Looks at the repository of a process that asks for a worktree. Gives why it cannot have one. */
	async look(connection: number, { worktree: asked, cwd }: Join, above: AgentAbove): Promise<string | undefined> {
		if (asked === undefined) return undefined;
		try {
			const { lookAtRepository, placeOf, requireFree } = await import("../../project/worktrees/place-worktree.ts");
			if (above.sandbox !== undefined && isOwnTemporary(cwd, above.sandbox))
				return existsSync(cwd) ? noWritableRepository(cwd) : inOwnTemporary(cwd);
			const git = await this.gitFor(above.id);
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

	of(connection: number): Placing | undefined {
		return this.placings.get(connection);
	}

	forget(connection: number): void {
		this.placings.delete(connection);
	}
}

/** The /tmp of a run is another one than that of the machine: what lies there is not where its path says. */
function isOwnTemporary(cwd: string, { mounts }: Confinement): boolean {
	return /^(\/var)?\/tmp(\/|$)/.test(cwd) && deepestOver(cwd, mounts) === undefined;
}

function inOwnTemporary(cwd: string): string {
	return `--worktree: ${cwd} is in the run's temporary /tmp: a worktree needs a repository in the project`;
}
