/** Whether what a project's files tell agents is used: what a person has answered before, says by an option, or is asked now. */
import { relative } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { preview } from "../../core/preview.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import type { Guide, GuideFile } from "../../project/instructions/guide.ts";
import { type AskedFile, afterAnswer, trustIn } from "../../project/instructions/trust.ts";
import { readTrust, writeTrust } from "../../record/project-answers.ts";
import { complainInLines } from "../../terminal/print.ts";
import { inOneLine, stripControl } from "../../text/safe/terminal-safe.ts";
import { padWidth } from "../../text/width/width.ts";
import { askKey, canAsk } from "../io/ask-key.ts";

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

/** Asks the person at the terminal whether the files of a project are used. */

/** Waits for the answer, however long that takes. Undefined when there is none. */
async function askTrust(project: string, files: readonly AskedFile<GuideFile>[]): Promise<boolean | undefined> {
	complainInLines(questionLines(project, files).join("\n"));
	for (;;) {
		const answer = await askKey(QUESTION, "ynv");
		if (answer !== "v") return answer === undefined ? undefined : answer === "y";
		complainInLines(viewLines(project, files).join("\n"));
	}
}

/** The question whether the files of a project are used: what is shown. Pure. */

const MAX_SHOWN = 40;
const MAX_NAME_COLUMNS = 50;
const MAX_WHAT = 100; // characters

type Asked = AskedFile<GuideFile>;

/** Whose they are, which they are, and what is new. */
export function questionLines(project: string, files: readonly Asked[]): string[] {
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
export function viewLines(project: string, files: readonly Asked[]): string[] {
	return files.flatMap((file) => [
		`${inOneLine(nameIn(project, file))} (${formatBytes(file.bytes)}, ${file.isCut ? "of which this is used" : "the whole"}):`,
		...stripControl(file.text)
			.trimEnd()
			.split("\n")
			.map((line) => `  | ${line}`),
		"",
	]);
}

function nameIn(project: string, { path }: Asked): string {
	const name = relative(project, path);
	return name.startsWith("..") ? path : name;
}
