/** Whether what a project's files tell agents is used: what a person has answered before, says by an option, or is asked now. */
import type { RunRequest } from "../../config/run-request.ts";
import type { Guide, GuideFile } from "../../instructions/guide.ts";
import { type AskedFile, afterAnswer, trustIn } from "../../instructions/trust.ts";
import { readTrust, writeTrust } from "../../store/trust-file.ts";
import { canAsk } from "../io/ask-key.ts";
import { askTrust } from "./ask-trust.ts";

export interface ProjectUse {
	readonly isUsed: boolean;
	/** A line for people about files that are not used. */
	readonly notice?: string;
}

/** `home`: the state directory, in which answers are remembered. `--trust` is an answer, too. */
export async function projectUse(
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
	if (trust.is === "refused") return unused(files, "as you have answered before");
	if (isQuiet || !canAsk()) return unusedUnasked(trust.files);
	const isTrusted = await askTrust(root, trust.files);
	if (isTrusted === undefined) return unused(files, "since you have not answered");
	remember(isTrusted);
	return isTrusted ? { isUsed: true } : unused(files, "and you will not be asked again until they change");
}

function unusedUnasked(files: readonly AskedFile<GuideFile>[]): ProjectUse {
	const open = files.filter(({ was }) => was !== "known");
	if (open.every(({ was }) => was === "new") && open.length === files.length)
		return unused(
			files,
			`since you have not been asked about ${files.length === 1 ? "it" : "them"}`,
			`${HOW_ASKED}; ${HOW}`,
		);
	const what = `${named(open)} new or changed since you were asked, so nothing that this project tells agents is used`;
	return { isUsed: false, notice: `${what}: ${HOW_ASKED}; ${HOW}` };
}

function unused(files: readonly GuideFile[], why: string, how = HOW): ProjectUse {
	return { isUsed: false, notice: `${named(files)} not used, ${why}: ${how}` };
}

const HOW_ASKED = "agent asks where it is started on a terminal";
const HOW = "--trust uses what this project tells agents (or AGENTREE_TRUST=1)";

/** `/repo/AGENTS.md and 2 more files are` */
function named([first, ...others]: readonly GuideFile[]): string {
	if (others.length === 0) return `${first?.path} is`;
	return `${first?.path} and ${others.length} more ${others.length === 1 ? "file" : "files"} are`;
}
