/** What agents are told by files, by the directory in which they work. A directory is looked at once in a run. */
import { filesOf, findGuide, type Guide, toldOf } from "../instructions/guide.ts";
import { instructionsText } from "../instructions/instructions-text.ts";
import { KeptFiles } from "../instructions/kept-files.ts";
import { trustIn } from "../instructions/trust.ts";
import { readTrust } from "../store/trust-file.ts";
import type { RunSettings } from "./run-settings.ts";

const MAX_DIRECTORIES = 200; // an agent may ask for children in any number of them

/** As an agent's file has it. */
export interface Told {
	readonly instructions: string;
	readonly instructionFiles: readonly { readonly path: string; readonly bytes: number }[];
}

export interface GuidesDeps extends Pick<RunSettings, "instructions" | "home"> {
	/** When the supervisor began. */
	readonly since: number;
}

export class Guides {
	private readonly deps: GuidesDeps;
	private readonly places: RunSettings["instructions"];
	private readonly kept: KeptFiles;
	private readonly byDirectory = new Map<string, Told | undefined>();

	constructor(deps: GuidesDeps) {
		this.deps = deps;
		this.places = deps.instructions;
		this.kept = new KeptFiles(deps.instructions?.kept);
	}

	/** What agents of the directory are told; undefined for nothing. */
	of(directory: string): Told | undefined {
		if (this.places === undefined) return undefined;
		if (this.byDirectory.has(directory)) return this.byDirectory.get(directory);
		const told = toldIn(this.read(directory, this.places));
		if (this.byDirectory.size < MAX_DIRECTORIES) this.byDirectory.set(directory, told);
		return told;
	}

	private read(directory: string, places: NonNullable<RunSettings["instructions"]>): Guide {
		const guide = findGuide(directory, places, this.kept);
		const root = guide.project?.root ?? "";
		return toldOf(guide, places.trusted.includes(root) || this.wasTrusted(root, guide));
	}

	/** What a person has answered about another project before the run began. A later answer may be that of an agent. */
	private wasTrusted(root: string, { ofProject }: Guide): boolean {
		const files = filesOf(ofProject);
		const answered = files.length === 0 ? undefined : readTrust(this.deps.home, root);
		if (answered === undefined || answered.changedAt > this.deps.since) return false;
		return trustIn(answered.file, files).is === "trusted";
	}
}

function toldIn(guide: Guide): Told | undefined {
	const instructions = instructionsText(guide);
	if (instructions === undefined) return undefined;
	const files = [...guide.ofProject.files, ...guide.ofUser.files];
	return { instructions, instructionFiles: files.map(({ path, bytes }) => ({ path, bytes })) };
}
