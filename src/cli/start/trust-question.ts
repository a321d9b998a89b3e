/** The question whether the files of a project are used: what is shown. Pure. */
import { relative } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { preview } from "../../core/preview.ts";
import type { GuideFile } from "../../instructions/guide.ts";
import type { AskedFile } from "../../instructions/trust.ts";
import { inOneLine, stripControl } from "../../text/terminal-safe.ts";
import { padWidth } from "../../text/width.ts";

const MAX_SHOWN = 40;
const MAX_NAME_COLUMNS = 50;
const MAX_WHAT = 100; // characters

type Asked = AskedFile<GuideFile>;

/** Whose they are, which they are, and what is new. */
export function questionLines(project: string, files: readonly Asked[]): string[] {
	const isFirst = files.every(({ was }) => was === "new");
	const head = isFirst
		? [
				`agent: ${inOneLine(project)} has files that tell agents what to do.`,
				"Agents run commands, so use them only if you trust who wrote them:",
			]
		: [`agent: files of ${inOneLine(project)} that tell agents what to do are new or have changed:`];
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

export const QUESTION = "Use them?  y yes, until they change  n no  v view them  Esc not now";

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
