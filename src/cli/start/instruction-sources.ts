/** The files that tell a run's agents how to work, as they are when it starts. A person is told what of them is not used. */

import { join } from "node:path";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
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
import type { UserCommand } from "../../project/instructions/user-command.ts";
import { type Project, personOf } from "../../project/project-of.ts";
import { complain } from "../../terminal/print.ts";
import type { InstructionPlaces, RunSettings } from "../../wire/supervise-order.ts";
import { projectUse } from "./project-use.ts";

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

/** The role that a run is asked to have, with what of it has no effect. */

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

/** The rules for commands that a project's own file has, which count once the project is trusted. */

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
