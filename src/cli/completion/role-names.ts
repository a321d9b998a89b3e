/** The names of the roles that an agent may have in the working directory, for completion. */
import { rolesOf } from "../../instructions/find-role.ts";
import { findGuide } from "../../instructions/guide.ts";
import { KeptFiles } from "../../instructions/kept-files.ts";
import type { Io } from "../io/io.ts";
import { instructionPlaces } from "../start/instruction-places.ts";

/** Those of files first. A name tells an agent nothing, so a project need not be trusted. */
export function roleNames({ env, cwd, uid }: Pick<Io, "env" | "cwd" | "uid">): string[] {
	const places = instructionPlaces(env, uid);
	return rolesOf(findGuide(cwd, places, new KeptFiles())).map(({ name }) => name);
}
