/** Where in the directories of a project the files of a kind lie. Pure. */
import { join } from "node:path";

/** The directories' names. */
export type PlaceKind = "agents" | "skills" | "commands";

/** What lies in a later one goes before what lies in an earlier one. */
export function projectPlaces(directories: readonly string[], kind: PlaceKind): string[] {
	return directories.flatMap((directory) => [join(directory, ".claude", kind), join(directory, ".agentree", kind)]);
}
