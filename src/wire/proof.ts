/** The proof of a client that says hello as a person, without the schemas of the messages. */
import { createHash } from "node:crypto";

/** The secret by which persons prove themselves: a file in the run's directory, while the run is alive. */
export const KEY_FILE = ".person-key";

/** Stands for the key with who cannot read it: a process in a sandbox, whose place in the tree proves what it is. */
export const NO_KEY = "";

/** Says that a client has read the key, to the supervisor that has told it a name. */
export function proofOf(key: string, name: string): string {
	return createHash("sha256").update(`${key} ${name}`).digest("hex");
}
