/** The files that tell a run's agents how to work, as they are when it starts. A person is told what of them is not used. */
import { configurationDirectory } from "../../config/configuration-path.ts";
import { homeDirectory } from "../../config/home-directory.ts";
import type { RunRequest } from "../../config/run-request.ts";
import { defined } from "../../core/defined.ts";
import { filesOf, findGuide, type Guide, toldOf } from "../../instructions/guide.ts";
import { KeptFiles } from "../../instructions/kept-files.ts";
import { afterAnswer, trustIn } from "../../instructions/trust.ts";
import { readTrust, writeTrust } from "../../store/trust-file.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { complain } from "../../terminal/print.ts";
import { askTrust, canAsk } from "./ask-trust.ts";

const MAX_NOTICES = 10;

type Asked = Pick<RunRequest, "cwd" | "withoutInstructions" | "trustsProject" | "isQuiet">;

interface Host {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly now: number;
	/** The state directory. */
	readonly home: string;
}

/** Undefined when agents are told nothing of such files. Asks a person about a project that is new, or has changed. */
export async function instructionSources(request: Asked, host: Host): Promise<RunSettings["instructions"]> {
	if (request.withoutInstructions === true) return undefined;
	const { env, uid } = host;
	const places = { ...defined({ home: homeDirectory(env), own: configurationDirectory(env) }), uid, trusted: [] };
	const kept = new KeptFiles();
	const guide = findGuide(request.cwd, places, kept);
	const { isUsed, why } = await isProjectUsed(guide, request, host);
	if (!request.isQuiet) for (const notice of noticesOf(guide, isUsed, why)) complain(`agent: ${notice}`);
	const used = [...(isUsed ? filesOf(guide.ofProject) : []), ...filesOf(guide.ofUser)].map(({ path }) => path);
	return {
		...places,
		trusted: isUsed && guide.project !== undefined ? [guide.project.root] : [],
		kept: kept.all().filter(({ path }) => used.includes(path)),
	};
}

/** `why`: what a person is told of files that are not used. */
async function isProjectUsed(
	{ project, ofProject }: Guide,
	{ trustsProject, isQuiet }: Asked,
	{ home, now }: Host,
): Promise<{ isUsed: boolean; why?: string }> {
	const files = filesOf(ofProject);
	if (project === undefined || files.length === 0) return { isUsed: false };
	if (trustsProject === true) return { isUsed: true };
	const { root } = project;
	const before = readTrust(home, root)?.file;
	const trust = trustIn(before, files);
	if (trust.is === "trusted") return { isUsed: true };
	if (trust.is === "refused") return { isUsed: false, why: "as you have answered before" };
	if (isQuiet || !canAsk()) return { isUsed: false, why: "since you have not been asked about them" };
	const isTrusted = await askTrust(root, trust.files);
	if (isTrusted === undefined) return { isUsed: false, why: "since you have not answered" };
	writeTrust(home, afterAnswer(before, { project: root, files, isTrusted, at: now }));
	return isTrusted ? { isUsed: true } : { isUsed: false, why: "and you will not be asked again until they change" };
}

function noticesOf(guide: Guide, isUsed: boolean, why: string | undefined): string[] {
	const { ofProject, ofUser } = toldOf(guide, isUsed);
	const notices = [...ofProject.notices, ...ofUser.notices];
	const more = notices.length - MAX_NOTICES;
	return [
		...(why === undefined ? [] : [unused(guide, why)]),
		...notices.slice(0, MAX_NOTICES),
		...(more > 0 ? [`${more} more such ${more === 1 ? "notice" : "notices"} about instructions`] : []),
	];
}

function unused({ ofProject }: Guide, why: string): string {
	const [first, ...others] = filesOf(ofProject);
	const more = others.length === 0 ? "is" : `and ${others.length} more ${others.length === 1 ? "file" : "files"} are`;
	return `${first?.path} ${more} not used, ${why}: --trust uses what this project tells agents (or AGENTREE_TRUST=1)`;
}
