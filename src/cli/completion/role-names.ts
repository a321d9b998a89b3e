/** The names of the roles that an agent may have in the working directory, for completion. */
import { configurationDirectory } from "../../config/configuration-path.ts";
import { homeDirectory } from "../../config/home-directory.ts";
import { defined } from "../../core/defined.ts";
import { rolesOf } from "../../instructions/find-role.ts";
import { findGuide } from "../../instructions/guide.ts";
import { KeptFiles } from "../../instructions/kept-files.ts";
import type { Io } from "../io/io.ts";

/** Those of files first. A name tells an agent nothing, so a project need not be trusted. */
export function roleNames({ env, cwd, uid }: Pick<Io, "env" | "cwd" | "uid">): string[] {
	const places = { ...defined({ home: homeDirectory(env), own: configurationDirectory(env) }), uid, trusted: [] };
	return rolesOf(findGuide(cwd, places, new KeptFiles())).map(({ name }) => name);
}
