/** Where in the directories of a project the files of a kind lie. Pure. */
import { join } from "node:path";

/** What lies in a later one goes before what lies in an earlier one. */
export function projectPlaces(directories: readonly string[], kind: "agents"): string[] {
	return directories.flatMap((directory) => [join(directory, ".claude", kind), join(directory, ".agentree", kind)]);
}
