/** The proof of a client that says hello as a person, without the schemas of the messages. */
import { createHash } from "node:crypto";

/** The secret by which persons prove themselves: a file in the run's directory, while the run is alive. */
export const KEY_FILE = ".person-key";

/** Says that a client has read the key, to the supervisor that has told it a name. */
export function proofOf(key: string, name: string): string {
	return createHash("sha256").update(`${key} ${name}`).digest("hex");
}
