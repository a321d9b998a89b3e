/** What `agent doctor` says of the files in this directory that tell agents something. Said only where there are some. */
import { relative } from "node:path";
import { filesOf, findGuide, noticesOf } from "../../project/instructions/guide.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import { trustIn } from "../../project/instructions/trust.ts";
import { readTrust } from "../../record/project-answers.ts";
import { instructionPlaces } from "./instruction-places.ts";
import { rulesFileOf } from "./project-rules.ts";

const MOST = 6;

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
	const how = isTrusted ? "trusted" : "not trusted, so not used without --trust";
	return [{ result: "ok", what: "instructions", detail: `${names.join(", ")}${more} in ${root}: ${how}` }, ...notices];
}
