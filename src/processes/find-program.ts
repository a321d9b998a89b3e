/** Where a program lies. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The path of the first program of that name in the absolute directories of `path`, which is written as PATH is; undefined when there is none. */
export function findProgram(name: string, path: string | undefined): string | undefined {
	const places = (path ?? "").split(delimiter).filter(isAbsolute);
	return places.map((place) => join(place, name)).find(isProgram);
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}
