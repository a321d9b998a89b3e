/** What `agent doctor` says of the working directory: its files for agents, its lasting answers, and whether a sandbox works. */

import { relative } from "node:path";
import { filesOf, findGuide, noticesOf } from "../../project/instructions/guide.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import { trustIn } from "../../project/instructions/trust.ts";
import { readTrust } from "../../record/project-answers.ts";
import { findNsenter, NO_NSENTER } from "../../sandbox/layers.ts";
import { othersPlaces, probeSandbox, trySandbox } from "../../sandbox/probe.ts";
import { desktopSockets } from "../../sandbox/socket-places.ts";
import { answersForProject } from "../start/gather-facts.ts";
import { instructionPlaces, rulesFileOf } from "../start/instruction-sources.ts";
import { projectOfRun } from "../start/look-at-sandbox.ts";
import type { Check } from "./check-services.ts";

const MOST = 6;

/** Files that tell agents something; nothing where there are none. */
export function checkProject(
	{ env, cwd, uid }: { env: Readonly<Record<string, string | undefined>>; cwd: string; uid: number },
	home: string,
): { result: "ok" | "warn"; what: string; detail: string }[] {
	const places = instructionPlaces(env, uid);
	const kept = new KeptFiles();
	const { project, ofProject, ofUser } = findGuide(cwd, places, kept);
	const notices = [...noticesOf(ofProject), ...noticesOf(ofUser)].map(
		(detail) => ({ result: "warn", what: "instructions", detail }) as const,
	);
	const rules = rulesFileOf(project, kept);
	const files = [...filesOf(ofProject), ...(rules === undefined ? [] : [rules])];
	if (project === undefined || files.length === 0) return notices;
	const { top: root } = project;
	const names = files.slice(0, MOST).map(({ path }) => relative(root, path));
	const more = files.length > MOST ? ` and ${files.length - MOST} more` : "";
	const isTrusted = trustIn(readTrust(home, root)?.file, files).is === "trusted";
	const how = isTrusted ? "trusted" : "not trusted, so ignored without --trust";
	return [{ result: "ok", what: "instructions", detail: `${names.join(", ")}${more} in ${root}: ${how}` }, ...notices];
}

/** Tries a sandbox. */
export async function checkSandbox({
	env,
	uid,
	...place
}: {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly uid: number;
	readonly cwd: string;
	readonly cwdProblem?: string | undefined;
}): Promise<Check> {
	const what = "sandbox";
	const probed = probeSandbox(env);
	if (probed.is === "none")
		return {
			result: "warn",
			what,
			detail: `${probed.reason}; runs start without a sandbox, and agents can do everything you can`,
		};
	const isRoot = uid === 0;
	const noNsenter = findNsenter() === undefined ? NO_NSENTER : undefined;
	const { version, problems } = await trySandbox(probed.program, { isRoot, architecture: process.arch, noNsenter });
	const { top, start } = place.cwdProblem === undefined ? projectOfRun(place.cwd, { env }).project : {};
	const places = othersPlaces(
		[top, start].flatMap((path) => path ?? []),
		{ program: probed.program, uid },
	);
	const found = [...problems, ...places, ...desktopSockets("host")];
	if (found.length > 0) return { result: "warn", what, detail: `bubblewrap ${version}: ${found.join("; ")}` };
	const asRoot = isRoot ? "; as root child agents can signal one another" : "";
	return { result: "ok", what, detail: `bubblewrap ${version}, including nesting and --net none${asRoot}` };
}

/** Lasting answers about commands of this project; nothing where there are none. */
export function checkAnswers({
	env,
	cwd,
}: {
	readonly env: Readonly<Record<string, string | undefined>>;
	readonly cwd: string;
}): Check[] {
	const answers = answersForProject(cwd, env);
	if (answers === undefined) return [];
	const { root, file, rules, damaged } = answers;
	const what = "answers";
	const lost =
		damaged === 0 ? [] : [{ result: "warn", what, detail: `${damaged} lines of ${file} are not rules` } as const];
	if (rules.length === 0) return lost;
	return [{ result: "ok", what, detail: `${rules.join(", ")} allowed in ${root}, by lines of ${file}` }, ...lost];
}
