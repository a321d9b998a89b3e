/** Where the program was started. */
import { AgentreeError } from "../core/errors.ts";

/** Throws AgentreeError("usage"): somebody may have removed the directory, or a part of the path, meanwhile. */
export function workingDirectory(cwd: () => string): string {
	try {
		return cwd();
	} catch (error) {
		const code = (error as NodeJS.ErrnoException).code ?? String(error);
		throw new AgentreeError("usage", `the working directory does not exist any more (${code}): cd to one that does`);
	}
}
