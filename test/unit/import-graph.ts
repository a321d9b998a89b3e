/**
 * Which room of src/ imports from which, types included. A room is a folder. Where a folder has rooms inside it, its own
 * files are two: `x/` are those that stand on its rooms, `x/ base` those that its rooms stand on.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

export interface Edge {
	readonly from: string;
	readonly to: string;
}

const SRC = join(import.meta.dirname, "../../src");

/** Files of src/ and what each imports of src/, also on demand. */
export function readFileEdges(): { files: string[]; edges: Edge[] } {
	const files = readdirSync(SRC, { recursive: true, encoding: "utf8" })
		.filter((file) => file.endsWith(".ts"))
		.sort();
	const edges = files.flatMap((from) => {
		const text = readFileSync(join(SRC, from), "utf8");
		const at = (path = "") => relative(SRC, join(SRC, dirname(from), path));
		const named = [...text.matchAll(/(?:\bfrom |\bimport\()"(?<to>\.[^"]+)"/g)].map(({ groups }) => at(groups?.to));
		// import(`./commands/${word}.ts`): any file of that folder.
		const folders = [...text.matchAll(/\bimport\(`(?<to>\.[^`$]+)\/\$\{/g)].map(({ groups }) => at(groups?.to));
		const inFolders = files.filter((file) => folders.includes(dirname(file)));
		return [...named, ...inFolders].map((to) => ({ from, to }));
	});
	return { files, edges: edges.filter(({ to }) => files.includes(to)) };
}

/** Gives a circle for each part of the graph that has one; none when it has none. */
export function circlesIn(edges: readonly Edge[]): string[][] {
	const targets = new Map<string, string[]>();
	for (const { from, to } of edges) targets.set(from, [...(targets.get(from) ?? []), to]);
	const done = new Set<string>();
	const circles: string[][] = [];
	const walk = (node: string, path: string[]): void => {
		if (path.includes(node)) circles.push([...path.slice(path.indexOf(node)), node]);
		if (path.includes(node) || done.has(node)) return;
		for (const to of targets.get(node) ?? []) walk(to, [...path, node]);
		done.add(node);
	};
	for (const node of targets.keys()) walk(node, []);
	return circles;
}

/** The rooms of these files, and which imports from which. */
export function roomEdges({ files, edges }: { files: readonly string[]; edges: readonly Edge[] }): Edge[] {
	const folders = new Set(files.map((file) => dirname(file)));
	const hasRooms = (folder: string) => [...folders].some((other) => other.startsWith(`${folder}/`));
	const isBase = new Set<string>();
	const add = (file: string): void => {
		if (isBase.has(file)) return;
		isBase.add(file);
		for (const { from, to } of edges) if (from === file && dirname(to) === dirname(file)) add(to);
	};
	for (const { from, to } of edges) if (dirname(from).startsWith(`${dirname(to)}/`)) add(to);
	const roomOf = (file: string) => {
		const folder = dirname(file);
		return hasRooms(folder) && isBase.has(file) ? `${folder} base` : folder;
	};
	const rooms = edges.map(({ from, to }) => ({ from: roomOf(from), to: roomOf(to) }));
	const byName = new Map(rooms.map((edge) => [`${edge.from} > ${edge.to}`, edge]));
	return [...byName.values()]
		.filter(({ from, to }) => from !== to)
		.sort((a, b) => compare(a.from, b.from) || compare(a.to, b.to));
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
