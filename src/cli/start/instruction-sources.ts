/** The files that tell a run's agents how to work, as they are when it starts. A person is told what of them is not used. */

import { join, relative } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { preview } from "../../core/preview.ts";
import type { WrittenRules } from "../../core/rules/rule.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { configurationDirectory, homeDirectory } from "../../project/config/user-directories.ts";
import { withoutDoubles } from "../../project/instructions/defined-files.ts";
import { BUILT_IN_ROLES, type FoundRole, findRole, rolesOf } from "../../project/instructions/find-role.ts";
import {
	filesOf,
	findGuide,
	type Guide,
	type GuideFile,
	noticesOf,
	onlyRoles,
	toldOf,
} from "../../project/instructions/guide.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import { type AskedFile, afterAnswer, trustIn } from "../../project/instructions/trust.ts";
import type { UserCommand } from "../../project/instructions/user-command.ts";
import { type Project, personOf } from "../../project/project-of.ts";
import { readTrust, writeTrust } from "../../record/project-answers.ts";
import { complain, complainInLines } from "../../terminal/print.ts";
import { inOneLine, stripControl } from "../../text/safe/terminal-safe.ts";
import { padWidth } from "../../text/width/width.ts";
import type { InstructionPlaces, RunSettings } from "../../wire/supervise-order.ts";
import { askKey, canAsk } from "../io/ask-key.ts";

const MAX_NOTICES = 10;

type Asked = Pick<RunRequest, "cwd" | "withoutInstructions" | "role" | "trustsProject" | "isQuiet">;

export interface FoundSources {
	readonly instructions: NonNullable<RunSettings["instructions"]>;
	/** Those of the project for commands: absent where it has none, or is not used. */
	readonly rules?: WrittenRules;
	/** Those that agents of the directory may have. */
	readonly roles: readonly FoundRole[];
	/** The names of those of a project that is not used. */
	readonly unusedRoles: readonly string[];
	/** Those that a person may send in the directory. */
	readonly commands: readonly UserCommand[];
	/** The paths of the files that tell agents how to work. */
	readonly told: readonly string[];
}

interface Host {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly now: number;
	/** The state directory. */
	readonly home: string;
}

/**
 * Asks a person about a project that is new, or has changed. Without instructions nothing of the project is looked at, unless a
 * role is asked for that may be one of it.
 */
export async function instructionSources(request: Asked, host: Host): Promise<FoundSources> {
	const { env, uid } = host;
	const places = instructionPlaces(env, uid);
	const kept = new KeptFiles();
	const isBare = request.withoutInstructions === true;
	const whole = findGuide(request.cwd, places, kept);
	const isRoleOfFile = !BUILT_IN_ROLES.some(({ name }) => name === (request.role ?? name));
	const guide = isBare ? withoutInstructions(whole, isRoleOfFile) : whole;
	const rulesFile = rulesFileOf(whole.project, kept);
	const files = [...filesOf(guide.ofProject), ...(rulesFile === undefined ? [] : [rulesFile])];
	const { isUsed, notice: why } = await projectUse({ ...guide, files }, request, host);
	const ofProject = isUsed && rulesFile !== undefined ? await readProjectRules(rulesFile) : undefined;
	const notices = [
		...(isBare && rulesFile === undefined ? [] : noticesAbout(guide, isUsed, why)),
		...(ofProject?.notices ?? []),
	];
	if (!request.isQuiet) for (const notice of notices) complain(`agent: ${notice}`);
	const used = [...(isUsed ? filesOf(guide.ofProject) : []), ...filesOf(guide.ofUser)].map(({ path }) => path);
	const found = toldOf(guide, isUsed);
	return {
		instructions: {
			...places,
			trusted: isUsed && guide.project !== undefined ? [guide.project.top] : [],
			kept: kept.all().filter(({ path }) => used.includes(path)),
		},
		...defined({ rules: ofProject?.rules }),
		roles: rolesOf(found),
		commands: withoutDoubles(found.ofProject.commands, found.ofUser.commands),
		told: [found.ofProject, found.ofUser].flatMap(({ instructions }) => instructions.files.map(({ path }) => path)),
		unusedRoles: isUsed ? [] : guide.ofProject.roles.map(({ name }) => name),
	};
}

function withoutInstructions({ ofProject, ofUser, ...guide }: Guide, isRoleOfFile: boolean): Guide {
	const { roles, ...rest } = onlyRoles(ofProject);
	return { ...guide, ofProject: { ...rest, roles: isRoleOfFile ? roles : [] }, ofUser: onlyRoles(ofUser) };
}

function noticesAbout(guide: Guide, isUsed: boolean, why: string | undefined): string[] {
	const { ofProject, ofUser } = toldOf(guide, isUsed);
	const notices = [...noticesOf(ofProject), ...noticesOf(ofUser)];
	const more = notices.length - MAX_NOTICES;
	return [
		...(why === undefined ? [] : [why]),
		...notices.slice(0, MAX_NOTICES),
		...(more > 0 ? [`${more} more such ${more === 1 ? "notice" : "notices"} about instructions`] : []),
	];
}

/** Undefined when none is asked for. Throws AgentreeError("usage") for an unknown one. */
export function requestedRole(
	{ role: name, isQuiet }: Pick<RunRequest, "role" | "isQuiet">,
	{ roles, unusedRoles }: Pick<FoundSources, "roles" | "unusedRoles">,
): FoundRole | undefined {
	if (name === undefined) return undefined;
	if (unusedRoles.includes(name) && !roles.some((role) => role.name === name))
		throw new AgentreeError(
			"usage",
			`the role ${name} belongs to this project, which is not trusted; to use it: --trust`,
		);
	const role = findRole(name, roles);
	if (!isQuiet && role.notices.length > 0)
		complain(`agent: some settings of the role ${role.name} have no effect: ${role.notices.join("; ")}`);
	return role;
}

const NAME = ".agentree/config.yaml";

export interface ProjectRules {
	readonly rules: WrittenRules;
	readonly notices: readonly string[];
}

/** The file, as a person is asked about it; undefined: there is none. */
export function rulesFileOf(project: Project | undefined, kept: KeptFiles): GuideFile | undefined {
	if (project === undefined) return undefined;
	const read = kept.forDirectory().read(join(project.top, NAME), { within: [project.top] });
	return read.is === "text" ? { ...read.file, what: "rules that ask about or deny commands" } : undefined;
}

/** Throws AgentreeError for what is wrong in it. */
async function readProjectRules({ path, text, isCut }: GuideFile): Promise<ProjectRules> {
	if (isCut) throw new AgentreeError("script", `${path}: too long`);
	const { parseProjectSettings } = await import("../../models/user-configuration.ts");
	const { ask, deny, notices } = parseProjectSettings(text, path);
	return { rules: { source: "this project", allow: [], ask, deny }, notices };
}

/** Where files may lie that tell agents something, before a project is trusted. */
export function instructionPlaces(env: Readonly<Record<string, string | undefined>>, uid: number): InstructionPlaces {
	const own = defined({ home: homeDirectory(env), own: configurationDirectory(env) });
	return { ...own, ...personOf(env), uid, trusted: [] };
}

/** Whether what a project's files tell agents is used: what a person has answered before, says by an option, or is asked now. */

interface ProjectUse {
	readonly isUsed: boolean;
	/** A line for people about files that are not used. */
	readonly notice?: string;
}

/** `home`: the state directory, in which answers are remembered. `--trust` is an answer, too. */
async function projectUse(
	{ project, files }: Pick<Guide, "project"> & { files: readonly GuideFile[] },
	{ trustsProject, isQuiet }: Pick<RunRequest, "trustsProject" | "isQuiet">,
	{ home, now }: { home: string; now: number },
): Promise<ProjectUse> {
	if (project === undefined || files.length === 0) return { isUsed: trustsProject === true && project !== undefined };
	const { top: root } = project;
	const before = readTrust(home, root)?.file;
	const trust = trustIn(before, files);
	if (trust.is === "trusted") return { isUsed: true };
	const remember = (isTrusted: boolean) =>
		writeTrust(home, afterAnswer(before, { project: root, files, isTrusted, at: now }));
	if (trustsProject === true) {
		remember(true);
		return { isUsed: true };
	}
	if (trust.is === "refused") return unused(files, "as you answered before");
	if (isQuiet || !canAsk()) return unusedUnasked(trust.files);
	const isTrusted = await askTrust(root, trust.files);
	if (isTrusted === undefined) return unused(files, "because you have not answered");
	remember(isTrusted);
	return isTrusted ? { isUsed: true } : unused(files, "and you will not be asked again until they change");
}

function unusedUnasked(files: readonly AskedFile<GuideFile>[]): ProjectUse {
	const open = files.filter(({ was }) => was !== "known");
	if (open.every(({ was }) => was === "new") && open.length === files.length)
		return unused(
			files,
			`because you have not been asked about ${files.length === 1 ? "it" : "them"}`,
			`${HOW_ASKED}; ${HOW}`,
		);
	const what = `${named(open)} new or changed since you were asked, so this project's instruction files are not used`;
	return { isUsed: false, notice: `${what}: ${HOW_ASKED}; ${HOW}` };
}

function unused(files: readonly GuideFile[], why: string, how = HOW): ProjectUse {
	return { isUsed: false, notice: `${named(files)} not used, ${why}: ${how}` };
}

const HOW_ASKED = "agent asks when started in a terminal";
const HOW = "to use them: --trust (or AGENTREE_TRUST=1)";

/** `/repo/AGENTS.md and 2 more files are` */
function named([first, ...others]: readonly GuideFile[]): string {
	if (others.length === 0) return `${first?.path} is`;
	return `${first?.path} and ${others.length} more ${others.length === 1 ? "file" : "files"} are`;
}

/** Waits for the answer, however long that takes. Undefined when there is none. */
async function askTrust(project: string, files: readonly AskedFile<GuideFile>[]): Promise<boolean | undefined> {
	complainInLines(questionLines(project, files).join("\n"));
	for (;;) {
		const answer = await askKey(QUESTION, "ynv");
		if (answer !== "v") return answer === undefined ? undefined : answer === "y";
		complainInLines(viewLines(project, files).join("\n"));
	}
}

const MAX_SHOWN = 40;
const MAX_NAME_COLUMNS = 50;
const MAX_WHAT = 100; // characters

/** Whose they are, which they are, and what is new. */
export function questionLines(project: string, files: readonly AskedFile<GuideFile>[]): string[] {
	const isFirst = files.every(({ was }) => was === "new");
	const head = isFirst
		? [
				`agent: ${inOneLine(project)} contains instructions for agents.`,
				"Agents run commands, so use these files only if you trust their authors:",
			]
		: [`agent: the instructions for agents in ${inOneLine(project)} have changed:`];
	const first = [...files].sort((a, b) => Number(a.was === "known") - Number(b.was === "known"));
	const shown = first.slice(0, MAX_SHOWN);
	const names = shown.map((file) => inOneLine(nameIn(project, file)));
	const columns = Math.min(MAX_NAME_COLUMNS, Math.max(...names.map((name) => name.length)));
	const lines = shown.map(({ was, bytes, what }, n) => {
		const mark = isFirst ? "" : `${padWidth(was === "known" ? "as before" : was, 10)}`;
		return `  ${mark}${padWidth(names[n] ?? "", columns)}  ${padWidth(formatBytes(bytes), 10)}  ${preview(inOneLine(what), MAX_WHAT)}`;
	});
	const more = files.length - shown.length;
	return [...head, ...lines, ...(more === 0 ? [] : [`  and ${more} more`])];
}

const QUESTION = "Use them?  y yes, until they change · n no · v view · Esc not now";

/** The text of each file, indented, so that nothing in one looks like a line of ours. */
export function viewLines(project: string, files: readonly AskedFile<GuideFile>[]): string[] {
	return files.flatMap((file) => [
		`${inOneLine(nameIn(project, file))} (${formatBytes(file.bytes)}, ${file.isCut ? "of which this is used" : "the whole"}):`,
		...stripControl(file.text)
			.trimEnd()
			.split("\n")
			.map((line) => `  | ${line}`),
		"",
	]);
}

function nameIn(project: string, { path }: AskedFile<GuideFile>): string {
	const name = relative(project, path);
	return name.startsWith("..") ? path : name;
}
