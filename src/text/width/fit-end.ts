import { displayWidth } from "./width.ts";

/** Cut at its beginning: the end of a path tells more. */
export function fitEnd(path: string, columns: number): string {
	if (displayWidth(path) <= columns) return path;
	const characters = [...path];
	while (displayWidth(characters.join("")) > columns - 1) characters.shift();
	return `…${characters.join("").replace(/^…+/, "")}`;
}
