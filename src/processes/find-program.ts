/** Where a program lies. */
import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { absolutePath } from "../core/machine/paths.ts";

/** The path of the first program of that name in the absolute directories of `path`, which is written as PATH is; undefined when there is none. */
export function findProgram(name: string, path: string | undefined): string | undefined {
	return placesOf(name, path).find(isProgram);
}

/** For a start. Of a program that is nowhere: the first path at which it could be, so that the start says what is wrong. */
export function programToStart(name: string, path: string | undefined): string {
	return findProgram(name, path) ?? placesOf(name, path)[0] ?? name;
}

function placesOf(name: string, path: string | undefined): string[] {
	return absolutePath(path)
		.split(":")
		.map((place) => join(place, name));
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return statSync(file).isFile();
	} catch {
		return false;
	}
}
