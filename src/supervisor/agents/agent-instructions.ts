/** What agents are told by files, and which roles there are, by the directory in which they work. A directory is looked at once in a run. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { type FoundRole, findRole, rolesOf } from "../../project/instructions/find-role.ts";
import { filesOf, findGuide, type Guide, toldOf } from "../../project/instructions/guide.ts";
import { belowText, instructionsBelow } from "../../project/instructions/instructions-below.ts";
import { instructionsText, rolesText, skillsText } from "../../project/instructions/instructions-text.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import { trustIn } from "../../project/instructions/trust.ts";
import { personOf, projectOf } from "../../project/project-of.ts";
import type { Repository } from "../../project/repository-around.ts";
import { readTrust } from "../../record/project-answers.ts";
import { promptPath } from "../../text/prompt-path.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Sandboxes } from "../sandboxes/sandboxes.ts";
import type { Worktrees } from "./worktrees.ts";

const MAX_DIRECTORIES = 200; // an agent may ask for children in any number of them

/** As an agent's file has it. */
export interface Told {
	readonly instructions: string;
	readonly instructionFiles: readonly { readonly path: string; readonly bytes: number }[];
}

interface Known {
	readonly files: Told["instructionFiles"];
	readonly instructions: string | undefined;
	readonly skillList: string | undefined;
	/** Of what lies below. */
	readonly belowList: string | undefined;
	/** For agents that may start others. */
	readonly roleList: string | undefined;
	readonly roles: readonly FoundRole[];
}

export class AgentInstructions {
	private readonly settings: RunSettings;
	private readonly worktrees: Worktrees;
	/** When the supervisor began. */
	private readonly since: number;
	private readonly places: NonNullable<RunSettings["instructions"]>;
	private readonly kept: KeptFiles;
	private readonly byDirectory = new Map<string, Known>();

	constructor({ settings, host }: RunCore, worktrees: Worktrees) {
		this.settings = settings;
		this.worktrees = worktrees;
		this.since = host.now();
		this.places = settings.instructions ?? { homes: [], owners: [], uid: 0, trusted: [], kept: [] };
		this.kept = new KeptFiles(this.places.kept);
	}

	/** What an agent of the directory is told; undefined for nothing. */
	of(directory: string, mayStart: boolean): Told | undefined {
		const { instructions, roleList, skillList, belowList, files } = this.known(directory);
		const all = [mayStart ? roleList : undefined, skillList, instructions, belowList];
		const parts = all.filter((part) => part !== undefined);
		return parts.length === 0 ? undefined : { instructions: parts.join("\n\n"), instructionFiles: files };
	}

	/**
	 * The role of the name: one of the directory, else of the directory in which the run works. Throws AgentreeError("usage") for
	 * an unknown one.
	 */
	role(name: string, directory: string): FoundRole {
		return findRole(name, [...this.known(directory).roles, ...this.known(this.settings.cwd).roles]);
	}

	private known(place: string): Known {
		const directory = this.worktrees.originOf(place);
		const before = this.byDirectory.get(directory);
		if (before !== undefined) return before;
		const known = this.read(directory);
		if (this.byDirectory.size < MAX_DIRECTORIES) this.byDirectory.set(directory, known);
		return known;
	}

	private read(directory: string): Known {
		const { sandbox, cwd } = this.settings;
		const guide = findGuide(directory, this.places, this.kept, sandbox !== undefined && directory !== cwd);
		const root = guide.project?.top ?? "";
		const isTrusted = this.places.trusted.includes(root) || this.wasTrusted(root, guide);
		return knownOf(toldOf(guide, isTrusted), isTrusted ? instructionsBelow(directory) : []);
	}

	/** What a person has answered about another project before the run began. A later answer may be that of an agent. */
	private wasTrusted(root: string, { ofProject }: Guide): boolean {
		const files = filesOf(ofProject);
		const answered = files.length === 0 ? undefined : readTrust(this.settings.home, root);
		if (answered === undefined || answered.changedAt > this.since) return false;
		return trustIn(answered.file, files).is === "trusted";
	}
}

function knownOf(guide: Guide, below: readonly string[]): Known {
	const files = [...guide.ofProject.instructions.files, ...guide.ofUser.instructions.files];
	return {
		files: files.map(({ path, bytes }) => ({ path, bytes })),
		instructions: instructionsText(guide),
		skillList: skillsText(guide),
		belowList: belowText(below),
		roleList: rolesText(guide),
		roles: rolesOf(guide),
	};
}

const MOST_LOOK_MS = 1_000; // of a large tree it is not said whether it is clean
const LISTED = ["--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=dirty", "--no-renames"];

/** What agents find where they begin, in a line of their prompt: the day, the system, the repository. */
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
