/** The files that tell a run's agents how to work, as they are when it starts. A person is told what of them is not used. */
import { configurationDirectory } from "../../config/configuration-path.ts";
import { homeDirectory } from "../../config/home-directory.ts";
import type { RunRequest } from "../../config/run-request.ts";
import { defined } from "../../core/defined.ts";
import { findGuide, type Guide, toldOf } from "../../instructions/guide.ts";
import { KeptFiles } from "../../instructions/kept-files.ts";
import type { InstructionPlaces } from "../../protocol/supervise-order.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { complain } from "../../terminal/print.ts";

const MAX_NOTICES = 10;

type Asked = Pick<RunRequest, "cwd" | "withoutInstructions" | "trustsProject" | "isQuiet">;

/** Undefined when agents are told nothing of such files. */
export function instructionSources(
	{ cwd, withoutInstructions, trustsProject, isQuiet }: Asked,
	{ env, uid }: { env: Readonly<Record<string, string | undefined>>; uid: number },
): RunSettings["instructions"] {
	if (withoutInstructions === true) return undefined;
	const places = { ...defined({ home: homeDirectory(env), own: configurationDirectory(env) }), uid, trusted: [] };
	const kept = new KeptFiles();
	const guide = findGuide(cwd, places, kept);
	const isTrusted = trustsProject === true;
	if (!isQuiet) for (const notice of noticesOf(guide, isTrusted)) complain(`agent: ${notice}`);
	return sourcesOf(places, { guide, isTrusted }, kept);
}

function sourcesOf(
	places: InstructionPlaces,
	{ guide: { project, ofProject, ofUser }, isTrusted }: { guide: Guide; isTrusted: boolean },
	kept: KeptFiles,
): RunSettings["instructions"] {
	const isUsed = isTrusted && project !== undefined && ofProject.files.length > 0;
	const used = [...(isUsed ? ofProject.files : []), ...ofUser.files].map(({ path }) => path);
	return {
		...places,
		trusted: isUsed ? [project.root] : [],
		kept: kept.all().filter(({ path }) => used.includes(path)),
	};
}

function noticesOf(guide: Guide, isTrusted: boolean): string[] {
	const { ofProject, ofUser } = toldOf(guide, isTrusted);
	const notices = [...ofProject.notices, ...ofUser.notices];
	const more = notices.length - MAX_NOTICES;
	return [
		...(isTrusted ? [] : untrusted(guide)),
		...notices.slice(0, MAX_NOTICES),
		...(more > 0 ? [`${more} more such ${more === 1 ? "notice" : "notices"} about instructions`] : []),
	];
}

function untrusted({ ofProject: { files } }: Guide): string[] {
	const [first] = files;
	if (first === undefined) return [];
	const others =
		files.length === 1 ? "is" : `and ${files.length - 1} more ${files.length === 2 ? "file" : "files"} are`;
	return [`${first.path} ${others} not used: --trust uses what this project tells agents (or AGENTREE_TRUST=1)`];
}
