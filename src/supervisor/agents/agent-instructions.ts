/** What agents are told by files, and which roles there are, by the directory in which they work. A directory is looked at once in a run. */
import { type FoundRole, findRole, rolesOf } from "../../project/instructions/find-role.ts";
import { filesOf, findGuide, type Guide, toldOf } from "../../project/instructions/guide.ts";
import { belowText, instructionsBelow } from "../../project/instructions/instructions-below.ts";
import { instructionsText, rolesText, skillsText } from "../../project/instructions/instructions-text.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import { trustIn } from "../../project/instructions/trust.ts";
import { readTrust } from "../../record/project-answers.ts";
import type { RunSettings } from "../../wire/supervise-order.ts";
import type { RunCore } from "../run/run-core.ts";
import type { Worktrees } from "../worktrees/worktrees.ts";

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
