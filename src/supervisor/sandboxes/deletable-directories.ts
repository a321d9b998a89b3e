/** The directories in which agents without a sandbox may delete without a question. */
import { personOf, projectOf } from "../../project/project-of.ts";
import { realPath } from "../../record/files/regular-file.ts";

/** Of what is not to stay. */
const TEMPORARY = ["/tmp", "/var/tmp", "/dev/shm"];

/** By all names that they have: the run's directory and its project, the agent's, and those for temporary files. */
export function deletableDirectories(
	cwds: readonly string[],
	env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
	const person = personOf(env);
	const tops = cwds.flatMap((cwd) => projectOf(cwd, person)?.top ?? []);
	const all = [...cwds, ...tops, ...TEMPORARY, ...(env.TMPDIR ? [env.TMPDIR] : [])];
	return [...new Set(all.flatMap((path) => [path, realPath(path) ?? path]))];
}
