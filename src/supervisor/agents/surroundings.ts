/** What agents find where they begin, in a line of their prompt: the day, the system, the repository. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { personOf, projectOf } from "../../project/project-of.ts";
import type { Repository } from "../../project/repository-around.ts";
import { promptPath } from "../../text/prompt-path.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";

const MOST_LOOK_MS = 1_000; // of a large tree it is not said whether it is clean
const LISTED = ["--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=dirty", "--no-renames"];

export class Surroundings {
	/** Resolves when the tree of the root was looked at, or that takes too long. */
	readonly looked: Promise<void>;
	private readonly core: RunCore;
	private readonly sandboxes: Sandboxes;
	private readonly system: string;
	/** How many paths the tree of the root has that are not as committed; undefined where that is not known. */
	private uncommitted: number | undefined;

	/** `release`: os-release(5). */
	constructor(core: RunCore, sandboxes: Sandboxes, release = "/etc/os-release") {
		this.core = core;
		this.sandboxes = sandboxes;
		const name = /^PRETTY_NAME="?([^"\n]*)/m.exec(textOf(release))?.[1];
		this.system = `${process.platform === "linux" ? "Linux" : process.platform} ${process.arch}${name ? ` (${name})` : ""}`;
		this.looked = this.look().catch(() => {}); // no git, or none that says something
	}

	/** `directory`: undefined for a worktree of its own, of which an agent is told elsewhere. */
	of(directory: string | undefined, isRoot: boolean): string {
		const day = dayOf(new Date(this.core.host.now()));
		const isKnown = directory !== undefined && !this.isOther(directory);
		const repository = isKnown ? this.repository(directory, isRoot) : undefined;
		return `At the start: ${[day, this.system, repository].filter((fact) => fact !== undefined).join("; ")}.`;
	}

	private repository(directory: string, isRoot: boolean): string | undefined {
		const { repository, start, top } = this.project(directory) ?? {};
		if (repository === undefined || top === undefined) return isRoot ? "no git repository" : undefined;
		const where = top === start ? "" : ` ${promptPath(top)}`;
		const isClean = isRoot ? this.uncommitted : undefined;
		const state = isClean === undefined ? "" : isClean === 0 ? ", clean" : `, ${changes(isClean)} not committed`;
		return `git repository${where} ${headOf(repository)}${state}`;
	}

	private project(directory: string) {
		return projectOf(directory, personOf(this.core.settings.env));
	}

	/** The /tmp of a run is another one than that of the machine. */
	private isOther(directory: string): boolean {
		const { sandbox, cwd } = this.core.settings;
		return sandbox !== undefined && /^(\/var)?\/tmp(\/|$)/.test(directory) && !isAtOrBelow(directory, cwd);
	}

	/** Nothing that the repository names runs; a sandbox, where there is one, confines git besides. */
	private async look(): Promise<void> {
		const { settings } = this.core;
		if (settings.worktree !== undefined || this.project(settings.cwd)?.repository === undefined) return;
		const { repositoryGit } = await import("../../project/worktrees/repository-git.ts");
		const signal = AbortSignal.timeout(MOST_LOOK_MS);
		const git = repositoryGit({ env: settings.env, signal, sandbox: this.sandboxes.git(undefined), isLook: true });
		const status = await git.in(settings.cwd, "status", ...LISTED);
		if (status.is === "done") this.uncommitted = status.out.filter((byte) => byte === 0).length;
	}
}

/** `2026-11-29`, as the user's clock shows it. */
function dayOf(date: Date): string {
	return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((n) => String(n).padStart(2, "0")).join("-");
}

/** `on branch main` */
function headOf({ directory }: Repository): string {
	const head = textOf(join(directory, "HEAD")).trim();
	const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
	return branch === undefined
		? `at commit ${promptPath(head.slice(0, 12))} (no branch)`
		: `on branch ${promptPath(branch)}`;
}

function changes(count: number): string {
	return count === 1 ? "1 change" : `${count} changes`;
}

/** Empty where there is none. */
function textOf(path: string): string {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return "";
	}
}
