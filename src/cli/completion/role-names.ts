/** The names of the roles that an agent may have in the working directory, for completion. */

import type { Io } from "../../faces/print/io.ts";
import { rolesOf } from "../../project/instructions/find-role.ts";
import { findGuide } from "../../project/instructions/guide.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import { instructionPlaces } from "../start/instruction-sources.ts";

/** Those of files first. A name tells an agent nothing, so a project need not be trusted. */
export function roleNames({ env, cwd, uid }: Pick<Io, "env" | "cwd" | "uid">): string[] {
	const places = instructionPlaces(env, uid);
	return rolesOf(findGuide(cwd, places, new KeptFiles())).map(({ name }) => name);
}
