/**
 * Whether the files of a project are used. A person answers for each file as it is: a file that is new or has changed since
 * is asked about again, and the others are not. All files of a directory are used, or none. Pure.
 */
import type { AnsweredFile, TrustFile } from "../../core/schemas/run-files.ts";
import type { KeptFile } from "../../wire/supervise-order.ts";

const MAX_REMEMBERED = 2_000; // files of a project, those of the last answer first

type Trust<T extends AnsweredFile = KeptFile> =
	| { readonly is: "trusted" }
	| { readonly is: "refused" }
	| { readonly is: "open"; readonly files: readonly AskedFile<T>[] };

/** `known`: trusted as it is. */
export type AskedFile<T extends AnsweredFile = KeptFile> = T & { readonly was: "new" | "changed" | "known" };

/** What the earlier answers say to the files that there are now, of which there is one at least. */
export function trustIn<T extends AnsweredFile>(answered: TrustFile | undefined, files: readonly T[]): Trust<T> {
	const asked = files.map((file): AskedFile<T> => ({ ...file, was: standing(file, answered?.trusted ?? []) }));
	const open = asked.filter(({ was }) => was !== "known");
	if (open.length === 0) return { is: "trusted" };
	const refused = answered?.refused ?? [];
	const isRefused = open.every((file) => standing(file, refused) === "known");
	return isRefused ? { is: "refused" } : { is: "open", files: asked };
}

/** What is remembered after a person has answered. */
export function afterAnswer(
	before: TrustFile | undefined,
	{
		project,
		files,
		isTrusted,
		at,
	}: { project: string; files: readonly AnsweredFile[]; isTrusted: boolean; at: number },
): TrustFile {
	const now = files.map(({ path, digest }) => ({ path, digest }));
	const without = (earlier: readonly AnsweredFile[]) =>
		earlier.filter(({ path }) => now.every((file) => file.path !== path));
	const [trusted, refused] = [before?.trusted ?? [], before?.refused ?? []];
	const kept = (of: readonly AnsweredFile[]) => of.slice(0, MAX_REMEMBERED);
	return isTrusted
		? { project, trusted: kept([...now, ...without(trusted)]), refused: without(refused), answeredAt: at }
		: { project, trusted, refused: kept([...now, ...without(refused)]), answeredAt: at };
}

function standing({ path, digest }: AnsweredFile, answered: readonly AnsweredFile[]): AskedFile["was"] {
	const before = answered.find((file) => file.path === path);
	if (before === undefined) return "new";
	return before.digest === digest ? "known" : "changed";
}
