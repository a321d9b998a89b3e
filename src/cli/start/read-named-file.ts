/** Small files that a person named, whole. */
import { AgentreeError } from "../../core/errors.ts";
import { type FileBounds, readBoundedText } from "../../models/user-files/bounded-file.ts";

/** `name`: how a person named the file. Throws AgentreeError("usage") when it cannot be read, or has more than the bounds. */
export function readNamedFile(path: string, name: string, bounds: FileBounds): string {
	const refuse = (why: string) => new AgentreeError("usage", `${name}: cannot be read (${why})`);
	let read: ReturnType<typeof readBoundedText>;
	try {
		read = readBoundedText(path, bounds);
	} catch (error) {
		throw refuse((error as NodeJS.ErrnoException).code ?? String(error));
	}
	if (read.is === "refused") throw refuse(read.why);
	return read.text;
}
